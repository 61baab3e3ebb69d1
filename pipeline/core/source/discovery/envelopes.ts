import { nextKey, totalNames } from "./parameter-names.ts";
import type { Audits } from "./opening.ts";
import type { Reading } from "./proof.ts";
import { isObject } from "../../../../schemas/object.ts";

/** What in the answers speaks against their being whole, as a clause; empty where nothing does. */
export function formatSigns({ signs }: Reading): string {
  const found = signs.filter((sign) => sign !== "total");
  return found.length === 0
    ? ""
    : `; the responses contain ${found.join(", ")}, which prevents final windows unless ignore_signs lists it`;
}

/**
 * Reads from the envelopes of a complete read what they show besides the paging: where the number of all records is,
 * and which known name of it means something else. In page and offset style also where a null marks the last page.
 */
export function withEnvelopes(audits: Audits, { pages, records, signs, isPart }: Reading): Audits {
  if (isPart || pages.length < 2) return audits;
  const envelopes = pages.map(({ envelope }) => envelope);
  const holdsEverywhere = (path: string, holds: (value: unknown) => boolean): boolean =>
    envelopes.every((envelope) => holds(readLeafAt(envelope, path)));
  const numbers = listLeaves(envelopes[0]).filter(({ value }) => typeof value === "number");
  const totals = numbers
    .map(({ path }) => path)
    .filter((path) => holdsEverywhere(path, (value) => value === records.length));
  const isNamed = totals.some((path) => totalNames.includes(path));
  return {
    ...audits,
    paging: { ...audits.paging, next_at: findNextPath(audits, envelopes) },
    total_at: isNamed ? null : (totals[0] ?? null),
    // It is more than there is, so it counts something else.
    ignore_signs: signs.includes("total") ? ["total"] : [],
  };
}

function findNextPath({ paging }: Audits, envelopes: readonly unknown[]): string | null {
  if (paging.style !== "page" && paging.style !== "offset") return paging.next_at;
  const last = envelopes.at(-1);
  const marks = listLeaves(envelopes[0]).filter(
    ({ path, value }) =>
      value !== null &&
      typeof value !== "boolean" &&
      listLeaves(last).some((leaf) => leaf.path === path && leaf.value === null) &&
      envelopes.slice(0, -1).every((envelope) => readLeafAt(envelope, path) !== null),
  );
  return marks.length === 1 ? marks[0]!.path : null;
}

type Leaf = { readonly path: string; readonly value: unknown };

/** The values of an envelope outside of arrays, each at the path that a configuration would name. */
export function listLeaves(envelope: unknown, keys: readonly string[] = []): Leaf[] {
  if (!isObject(envelope) || keys.length > 4) return [];
  return Object.entries(envelope).flatMap(([key, value]) => {
    // A dotted path cannot name such a key.
    if (key.includes(".") || Array.isArray(value)) return [];
    const path = [...keys, key];
    return isObject(value) ? listLeaves(value, path) : [{ path: path.join("."), value }];
  });
}

/** Returns the value at a path; undefined if missing. */
export function readLeafAt(envelope: unknown, path: string): unknown {
  return listLeaves(envelope).find((leaf) => leaf.path === path)?.value;
}

/** A text or a number that may lead to the next page. */
export type Lead = { readonly path: string; readonly value: string };

/**
 * Lists what in the envelope of a first page may lead to the next one, the likeliest first: values with a telling name,
 * and values that differ in an answer to another request.
 */
export function listLeads(envelope: unknown, other: unknown): Lead[] {
  const before = new Map(listLeaves(other).map(({ path, value }) => [path, value]));
  const leads = listLeaves(envelope).flatMap(({ path, value }) => {
    const isText = typeof value === "string" && value !== "";
    if (!isText && typeof value !== "number") return [];
    const isNamed = nextKey.test(path);
    if (!isNamed && before.get(path) === value) return [];
    return [{ path, value: String(value), rank: isNamed ? (isText ? 0 : 1) : isText ? 2 : 3 }];
  });
  return leads.toSorted((a, b) => a.rank - b.rank).map(({ path, value }) => ({ path, value }));
}

/** Whether a text reads as an address, whole or relative. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) || /^[/?][^\s]*$/.test(text);
}
