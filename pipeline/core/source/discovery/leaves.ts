import { isObject } from "../../../../schemas/object.ts";
import { nextKey } from "./parameter-names.ts";

/** A value of an envelope at its dotted path. */
export type Leaf = { readonly path: string; readonly value: unknown };

/** The values of an envelope outside of arrays, each at the path that a configuration would name. */
export function leavesOf(envelope: unknown, keys: readonly string[] = []): Leaf[] {
  if (!isObject(envelope) || keys.length > 4) return [];
  return Object.entries(envelope).flatMap(([key, value]) => {
    // A dotted path cannot name such a key.
    if (key.includes(".") || Array.isArray(value)) return [];
    const path = [...keys, key];
    return isObject(value) ? leavesOf(value, path) : [{ path: path.join("."), value }];
  });
}

/** The value at a path; undefined where there is none. */
export function leafAt(envelope: unknown, path: string): unknown {
  return leavesOf(envelope).find((leaf) => leaf.path === path)?.value;
}

/** A text or a number that may lead to the next page. */
export type Lead = { readonly path: string; readonly value: string };

/**
 * What in the envelope of a first page may lead to the next one, the likeliest first. That is whatever has a telling
 * name, and what differs in an answer to another request.
 */
export function leadsOf(envelope: unknown, other: unknown): Lead[] {
  const before = new Map(leavesOf(other).map(({ path, value }) => [path, value]));
  const leads = leavesOf(envelope).flatMap(({ path, value }) => {
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
