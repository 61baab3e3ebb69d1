import { rangeText } from "./final.ts";
import type { Plan } from "./plan.ts";
import type { Read } from "./reads.ts";
import { type Broken, filledIn, isWhole, type Range, shownIn, type Walk } from "./walks.ts";

/** What a service saw over its nights. */
export type Seen = { readonly walks: readonly Walk[]; readonly broken: readonly Broken[] };

/** A range that a night said it could not read. */
export type Failure = Range & { readonly night: number; readonly message: string };

/** Walks that were whole and are in no read, though the service saw no reason. */
export function dropped(plan: Plan, { walks, broken }: Seen, reads: readonly Read[]): string[] {
  const kept = new Set(reads.flatMap((read) => read.walks));
  return walks.flatMap((walk) => {
    if (!isWhole(walk) || kept.has(walk) || plan.nights[walk.night]!.end !== undefined) return [];
    const others = walks.filter((other) => other.night === walk.night && other !== walk);
    const bad = [...others.filter((other) => !isWhole(other)), ...broken].filter(
      ({ night }) => night === walk.night,
    );
    const hasReason =
      bad.some((other) => isSame(other, walk) || isBeside(other, walk)) ||
      isTooLong(plan, walk, others) ||
      others.some((other) => isProbe(walk, other));
    return hasReason ? [] : [`night ${walk.night}: ${rangeText(walk)} is in no read: lost`];
  });
}

/** Failures of a night that the service knows no reason for. */
export function unfounded(
  { source }: Plan,
  { walks, broken }: Seen,
  failures: readonly Failure[],
): string[] {
  const bad = [...walks.filter(({ isPoisoned }) => isPoisoned), ...broken];
  return failures
    .filter(({ night, fromMs, toMs }) => {
      const around = { fromMs: fromMs - source.window, toMs: toMs + source.window };
      const isFounded = (other: Broken): boolean =>
        other.night === night &&
        other.fromMs < toMs &&
        other.toMs > fromMs &&
        (other.toMs === Infinity || isInside(other, around));
      return !bad.some(isFounded);
    })
    .map(({ night, message }) => `night ${night}: failed without a reason: ${message}`);
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

// One request over a range as long again as that of another walk shows whether that was cut off. Where a range holds
// what stands at its end alone, it is asked for once more, and without the end.
function isProbe(walk: Walk, other: Walk): boolean {
  if (walk.pages.size !== 1) return false;
  const length = other.toMs - other.fromMs;
  const isAround = walk.fromMs === other.fromMs || walk.toMs === other.toMs;
  const isLonger = isAround && walk.toMs - walk.fromMs === 2 * length;
  const isShorter = walk.fromMs === other.fromMs && walk.toMs === other.toMs - 1000;
  const shown = shownIn(other);
  const isEndAlone = shown.length > 0 && shown.every(({ timeMs }) => timeMs === walk.toMs);
  return isLonger || isShorter || (isSame(walk, other) && isEndAlone);
}
