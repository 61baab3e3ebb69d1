import { rangeText } from "./final.ts";
import type { Plan } from "./plan.ts";
import type { Read } from "./reads.ts";
import { type Broken, filledIn, isWhole, type Range, type Walk } from "./walks.ts";

/** What a service saw over its runs. */
export type Seen = { readonly walks: readonly Walk[]; readonly broken: readonly Broken[] };

/** A range that a run reported as unreadable. */
export type Failure = Range & { readonly runIndex: number; readonly message: string };

/** Walks that were whole and are in no read, though the service saw no reason. */
export function dropped(plan: Plan, { walks, broken }: Seen, reads: readonly Read[]): string[] {
  const kept = new Set(reads.flatMap((read) => read.walks));
  return walks.flatMap((walk) => {
    if (!isWhole(walk) || kept.has(walk) || plan.runs[walk.runIndex]!.end !== undefined) return [];
    const others = walks.filter((other) => other.runIndex === walk.runIndex && other !== walk);
    const bad = [...others.filter((other) => !isWhole(other)), ...broken].filter(
      ({ runIndex }) => runIndex === walk.runIndex,
    );
    const hasReason =
      bad.some((other) => isSame(other, walk) || isBeside(other, walk)) ||
      isTooLong(plan, walk, others) ||
      isProbe(
        walk,
        others.filter((other) => walks.indexOf(other) < walks.indexOf(walk)),
      );
    return hasReason ? [] : [`run ${walk.runIndex}: ${rangeText(walk)} is in no read: lost`];
  });
}

/** Failures of a run without a reason at the service. */
export function unfounded(
  { source }: Plan,
  { walks, broken }: Seen,
  failures: readonly Failure[],
): string[] {
  const bad = [...walks.filter(({ isPoisoned }) => isPoisoned), ...broken];
  return failures
    .filter(({ runIndex, fromMs, toMs }) => {
      const around = { fromMs: fromMs - source.window, toMs: toMs + source.window };
      const isFounded = (other: Broken): boolean =>
        other.runIndex === runIndex &&
        other.fromMs < toMs &&
        other.toMs > fromMs &&
        (other.toMs === Infinity || isInside(other, around));
      return !bad.some(isFounded);
    })
    .map(({ runIndex, message }) => `run ${runIndex}: failed without a reason: ${message}`);
}

function isSame(a: Range, b: Range): boolean {
  return a.fromMs === b.fromMs && a.toMs === b.toMs;
}

function isInside(a: Range, b: Range): boolean {
  return a.fromMs >= b.fromMs && a.toMs <= b.toMs;
}

// The other part of the same read.
function isBeside(a: Range, b: Range): boolean {
  return a.fromMs === b.toMs || a.toMs === b.fromMs;
}

// Given up before its end, or with its other part, to be read in pieces.
function isTooLong({ source }: Plan, walk: Walk, others: readonly Walk[]): boolean {
  if (walk.toMs === Infinity) return false;
  const beside = others.filter((other) => isBeside(other, walk));
  const filled = [0, ...beside.map((other) => filledIn(other).length)];
  return filledIn(walk).length + Math.max(...filled) > source.limits.read_pages;
}

// One request over a longer range shows whether another walk was truncated. After that the range itself is requested
// again, then without its end, to show that nothing is before that.
function isProbe(walk: Walk, before: readonly Walk[]): boolean {
  if (walk.pages.size !== 1) return false;
  return before.some((other, i) => {
    if (isTwice(walk, other)) return true;
    const isStarted = before.slice(i + 1).some((longer) => isTwice(longer, other));
    const isCutBack = walk.fromMs === other.fromMs && walk.toMs === other.toMs - 1000;
    return isStarted && (isSame(walk, other) || isCutBack);
  });
}

function isTwice(walk: Range, other: Range): boolean {
  const isAround = walk.fromMs === other.fromMs || walk.toMs === other.toMs;
  return isAround && walk.toMs - walk.fromMs === 2 * (other.toMs - other.fromMs);
}
