import type { Failure } from "./dropped.ts";
import { type Claim, isNeutral, isOver, isClosed, rangeText, showsSame } from "./final.ts";
import type { Plan } from "./plan.ts";
import type { Read } from "./reads.ts";
import { touches } from "./truth.ts";

/** Intervals that were given up while the nights to come would still have read them, or without a second look. */
export function givenUpTooSoon(
  plan: Plan,
  reads: readonly Read[],
  gaps: readonly Claim[],
  failures: readonly Failure[],
): string[] {
  const { nights, source } = plan;
  return gaps.flatMap((gap) => {
    const name = `night ${gap.night}: ${rangeText(gap)} was given up`;
    const { localMs } = nights[gap.night]!;
    const isDue =
      gap.toMs > localMs - source.lookback || gap.fromMs >= localMs - 2 * source.lookback;
    if (isDue) return [`${name} too soon`];
    const inside = reads.filter(({ fromMs, toMs }) => fromMs >= gap.fromMs && toMs <= gap.toMs);
    const unseen = inside
      .filter((read) => read.night === gap.night)
      .filter((read) => isLookedAtOnce(plan, read, reads, failures));
    return unseen.map((read) => `${name}, read once from ${rangeText(read)}`);
  });
}

// Read once after it had closed, in the very night, and nothing kept the night from reading it again.
function isLookedAtOnce(
  plan: Plan,
  read: Read,
  reads: readonly Read[],
  failures: readonly Failure[],
): boolean {
  const hasFailed = failures.some((other) => other.night === read.night && touches(other, read));
  const hasEnded = plan.nights[read.night]!.end !== undefined;
  if (hasFailed || hasEnded || read.walks.some(({ isShort }) => isShort)) return false;
  if (!isClosed(plan, read.walks[0]!, read) || isNeutral(plan, read, read)) return false;
  const others = reads.filter((other) => other !== read && isOver(other, read));
  return !others.some((other) => other.night === read.night || showsSame(other, read, read));
}
