import type { Failure } from "./dropped.ts";
import { type Claim, isNeutral, isOver, isClosed, rangeText, showsSame } from "./final.ts";
import type { Plan } from "./plan.ts";
import type { Read } from "./reads.ts";
import { touches } from "./truth.ts";
import type { Range } from "./walks.ts";

/** Intervals that were given up while later runs would still have read them, or without a second read. */
export function givenUpTooSoon(
  plan: Plan,
  reads: readonly Read[],
  gaps: readonly Claim[],
  failures: readonly Failure[],
): string[] {
  const { runs, source } = plan;
  return gaps.flatMap((gap) => {
    const name = `run ${gap.runIndex}: ${rangeText(gap)} was given up`;
    const { localMs } = runs[gap.runIndex]!;
    const isDue =
      gap.toMs > localMs - source.lookback || gap.fromMs >= localMs - 2 * source.lookback;
    if (isDue) return [`${name} too soon`];
    const inside = reads.filter(({ fromMs, toMs }) => fromMs >= gap.fromMs && toMs <= gap.toMs);
    const unseen = inside
      .filter((read) => read.runIndex === gap.runIndex)
      .filter((read) => isLookedAtOnce(plan, read, reads, failures));
    return unseen.map((read) => `${name}, read once from ${rangeText(read)}`);
  });
}

// Read once after it had closed, in the same run, and nothing prevented the run from reading it again.
function isLookedAtOnce(
  plan: Plan,
  read: Read,
  reads: readonly Read[],
  failures: readonly Failure[],
): boolean {
  const hasFailed = failures.some(
    (other) => other.runIndex === read.runIndex && touches(other, read),
  );
  const hasEnded = plan.runs[read.runIndex]!.end !== undefined;
  if (hasFailed || hasEnded || read.walks.some(({ isShort }) => isShort)) return false;
  if (!isClosed(plan, read.walks[0]!, read) || isNeutral(plan, read, read)) return false;
  const others = reads.filter((other) => other !== read);
  const sameRun = others.filter(({ runIndex }) => runIndex === read.runIndex);
  if (isCovered(read, sameRun)) return false;
  return !others.some((other) => isOver(other, read) && showsSame(other, read, read));
}

// By one reading, or by those of its parts, where a second look was too long for one.
function isCovered({ fromMs, toMs }: Range, ranges: readonly Range[]): boolean {
  let untilMs = fromMs;
  for (const range of [...ranges].sort((a, b) => a.fromMs - b.fromMs))
    if (range.fromMs <= untilMs) untilMs = Math.max(untilMs, range.toMs);
  return untilMs >= toMs;
}
