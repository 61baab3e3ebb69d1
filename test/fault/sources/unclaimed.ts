import { type Claim, isClosed as isWalkClosed, rangeText } from "./final.ts";
import type { Plan } from "./plan.ts";
import { type Read, shownBy } from "./reads.ts";
import { formatText } from "./truth.ts";
import type { Range } from "./walks.ts";

/**
 * The newest window that had closed by the last run, if it is not final though its last two reads agree. The service
 * states its end and has deleted nothing. Without this check a program that never finalizes anything would pass.
 */
export function withheld(
  plan: Plan,
  reads: readonly Read[],
  claims: readonly Claim[],
  gaps: readonly Claim[],
): string[] {
  const { manners, runs, events } = plan;
  const runIndex = runs.length - 1;
  const isSilent = manners.style === "none" || manners.style === "link_header";
  if (isSilent || events.some(({ hiddenMs }) => hiddenMs < Infinity)) return [];
  const newest = reads
    .filter((read) => isClosed(plan, read))
    .reduce<Read | undefined>(
      (last, read) => (last && last.toMs > read.toMs ? last : read),
      undefined,
    );
  if (newest === undefined || !isAgreed(plan, newest, reads)) return [];
  const isSaid = [...claims, ...gaps]
    .filter((claim) => claim.runIndex === runIndex || gaps.includes(claim))
    .some(({ fromMs, toMs }) => fromMs <= newest.fromMs && toMs >= newest.toMs);
  return isSaid ? [] : [`${rangeText(newest)} is not final, though its last reads agree`];
}

function isAgreed(plan: Plan, newest: Range, reads: readonly Read[]): boolean {
  const over = reads.filter(({ fromMs, toMs }) => fromMs < newest.toMs && toMs > newest.fromMs);
  const [before, last] = over.slice(-2);
  if (before === undefined || last === undefined) return false;
  const isOne = [before, last].every(
    (read) => read.fromMs === newest.fromMs && read.toMs === newest.toMs && isClosed(plan, read),
  );
  const isShort = [...before.walks, ...last.walks].some((walk) => walk.isShort);
  return isOne && !isShort && formatText(shownBy(before)) === formatText(shownBy(last));
}

function isClosed(plan: Plan, read: Read): boolean {
  return isWalkClosed(plan, read.walks[0]!, read);
}
