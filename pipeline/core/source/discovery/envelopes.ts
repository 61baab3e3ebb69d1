import { leafAt, leavesOf } from "./leaves.ts";
import { totalNames } from "./parameter-names.ts";
import type { Audits } from "./opening.ts";
import type { Reading } from "./reading.ts";

/** What in the answers speaks against their being whole, as a clause; empty where nothing does. */
export function signsText({ signs }: Reading): string {
  const found = signs.filter((sign) => sign !== "total");
  return found.length === 0
    ? ""
    : `; the answers bear ${found.join(", ")}, which keeps windows from being final unless ignore_signs names it`;
}

/**
 * What the envelopes of a whole reading show beside the paging. That is where the number of all records stands, and
 * which known name of it means something else. In page and offset style it is also where a null marks the last page.
 */
export function withEnvelopes(audits: Audits, { pages, records, signs, isPart }: Reading): Audits {
  if (isPart || pages.length < 2) return audits;
  const envelopes = pages.map(({ envelope }) => envelope);
  const everywhere = (path: string, holds: (value: unknown) => boolean): boolean =>
    envelopes.every((envelope) => holds(leafAt(envelope, path)));
  const numbers = leavesOf(envelopes[0]).filter(({ value }) => typeof value === "number");
  const totals = numbers
    .map(({ path }) => path)
    .filter((path) => everywhere(path, (value) => value === records.length));
  const isNamed = totals.some((path) => totalNames.includes(path));
  return {
    ...audits,
    paging: { ...audits.paging, next_at: nextAt(audits, envelopes) },
    total_at: isNamed ? null : (totals[0] ?? null),
    // It is more than there is, so it counts something else.
    ignore_signs: signs.includes("total") ? ["total"] : [],
  };
}

function nextAt({ paging }: Audits, envelopes: readonly unknown[]): string | null {
  if (paging.style !== "page" && paging.style !== "offset") return paging.next_at;
  const last = envelopes.at(-1);
  const marks = leavesOf(envelopes[0]).filter(
    ({ path, value }) =>
      value !== null &&
      typeof value !== "boolean" &&
      leavesOf(last).some((leaf) => leaf.path === path && leaf.value === null) &&
      envelopes.slice(0, -1).every((envelope) => leafAt(envelope, path) !== null),
  );
  return marks.length === 1 ? marks[0]!.path : null;
}
