import { keyOf, rightKeyOf, type Holding } from "./item.ts";
import type { Review } from "./kept-decisions.ts";
import type { Taken } from "./plan-decisions.ts";

/**
 * How what a policy holds now differs from what was reviewed, in words; empty where nothing moved. What the review
 * takes away may be gone already: then it was applied before.
 */
export function movedRights(
  review: Review,
  policyId: string,
  now: ReadonlySet<string>,
  revoked: ReadonlySet<string>,
): string[] {
  const then = new Set(review.policies[policyId] ?? []);
  const added = [...now].filter((right) => !then.has(right));
  const lost = [...then].filter((right) => !now.has(right) && !revoked.has(right));
  return [...added.map((right) => `now holds ${right}`), ...lost.map((right) => `lost ${right}`)];
}

/** Who came to have a right of a policy since the review was handed out: nobody decided on them. */
export function newHolders(
  review: Review,
  taken: readonly Taken[],
  holdings: readonly Holding[],
): string[] {
  const known = new Set(review.items.map(keyOf));
  const rights = new Set(taken.map(({ items }) => rightKeyOf(items[0]!)));
  const come = holdings.filter(
    (one) => one.way === "policy" && rights.has(rightKeyOf(one)) && !known.has(keyOf(one)),
  );
  return [...new Set(come.map(({ person }) => person))].map((person) => `${person} has joined it`);
}
