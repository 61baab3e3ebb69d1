import type { Ended } from "../landing/manifests.ts";
import type { Shown } from "../store/loading/read-facts.ts";
import type { Traits } from "../store/ledger/traits.ts";

/** What shows that the answers of a read were whole. */
export type Evidence =
  | "parts"
  | "null_next"
  | "absent_next"
  | "empty_page"
  | "given_before"
  | "total"
  | "short_page"
  | "longer_range"
  | "whole";

/**
 * What a read that agrees with the one before shows of its end by itself, where the window was asked for as one. What
 * the source has shown before counts where it is of the same form.
 */
export function evidenceOf(ended: Ended, traits: Traits): Evidence[] {
  const [part, ...more] = ended.parts;
  if (part === undefined || more.length > 0) return ended.whole ? ["whole"] : [];
  const isNextSeen = traits.isNextSeen || part.followed;
  const smallest = least(traits.smallestFollowed, part.smallest_followed);
  const isShort = ended.size !== null && part.last_page > 0 && part.last_page < ended.size;
  const found: Record<Exclude<Evidence, "parts">, boolean> = {
    null_next: part.by === "null_next",
    absent_next: part.by === "absent_next" && isNextSeen,
    empty_page: part.by === "empty_page",
    given_before: part.records === 0 && traits.hasGiven,
    total: part.total !== null && part.records >= part.total,
    short_page: isShort && smallest !== undefined && part.last_page < smallest,
    longer_range: ended.longer,
    whole: ended.whole,
  };
  return (Object.keys(found) as (keyof typeof found)[]).filter((name) => found[name]);
}

/** Returns the contradicting signs that the answers of a read gave; empty where it is complete. */
export function signsAgainst(ended: Ended | undefined): string[] {
  return [...new Set(ended?.parts.flatMap(({ signs }) => signs))].sort();
}

const leastUnreadable = 10;
const unreadableShare = 0.01;

/** Returns the contradicting signs that only the load of a read shows. */
export function signsInRecords(
  { isSentAgain, fetched, quarantined }: Pick<Shown, "isSentAgain" | "fetched" | "quarantined">,
  ended: Ended | undefined,
): string[] {
  // Reads that agree on records which none of them could read agree on nothing.
  const isUnreadable =
    ended !== undefined &&
    quarantined >= leastUnreadable &&
    quarantined > fetched * unreadableShare &&
    ended.ignored?.includes("unreadable") !== true;
  return [...(isSentAgain ? ["repeated_page"] : []), ...(isUnreadable ? ["unreadable"] : [])];
}

/** The ranges that hold records of a read in parts: where there are two, an answer that was cut off would show. */
export function filledParts(ended: Ended): number {
  return ended.parts.filter(({ records }) => records > 0).length;
}

/** What a source has shown once a read of it is known, too. */
export function traitsAfter(traits: Traits, ended: Ended): Traits {
  const { parts } = ended;
  return {
    isNextSeen: traits.isNextSeen || parts.some(({ followed }) => followed),
    smallestFollowed: parts.reduce(
      (smallest, part) => least(smallest, part.smallest_followed),
      traits.smallestFollowed,
    ),
    hasGiven: traits.hasGiven || parts.some(({ records }) => records > 0),
    isHalfAsked: traits.isHalfAsked || ended.half_asked,
  };
}

function least(a: number | undefined, b: number | null): number | undefined {
  if (a === undefined || b === null) return a ?? b ?? undefined;
  return Math.min(a, b);
}
