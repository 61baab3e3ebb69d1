import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import { type Read, shownBy } from "./reads.ts";
import { formatText } from "./truth.ts";
import { filledIn, type Range, shownIn, type Walk } from "./walks.ts";

/** The range that a run called final. */
export type Claim = Range & { readonly runIndex: number };

/**
 * Intervals that were called final without evidence. The evidence is two consecutive reads that both started after
 * the interval had closed and showed the same, completely. No later one may have shown more than any before it.
 */
export function unearned(
  plan: Plan,
  reads: readonly Read[],
  walks: readonly Walk[],
  claim: Claim,
): string[] {
  const known = reads.filter(({ runIndex }) => runIndex <= claim.runIndex);
  return listIntervals(claim, known).flatMap((interval) => {
    const over = known.filter((read) => isOver(read, interval));
    const closed = over.filter(({ walks: [first] }) => isClosed(plan, first!, interval));
    const isEarned = closed.some((read, i) =>
      closed
        .slice(0, i)
        .some(
          (before, k) =>
            showsSame(before, read, interval) &&
            closed.slice(k + 1, i).every((other) => isNeutral(plan, other, interval)) &&
            isShownWhole(plan, walks, before, read, interval) &&
            isNothingNew(known, over.slice(over.indexOf(read) + 1), interval),
        ),
    );
    return isEarned ? [] : [`run ${claim.runIndex}: ${rangeText(interval)} is final, not earned`];
  });
}

function listIntervals(claim: Range, reads: readonly Read[]): Range[] {
  const inside = reads
    .flatMap(({ fromMs, toMs }) => [fromMs, toMs])
    .filter((ms) => ms > claim.fromMs && ms < claim.toMs);
  const edges = [...new Set([claim.fromMs, ...inside, claim.toMs])].sort((a, b) => a - b);
  return edges.slice(1).map((toMs, i) => ({ fromMs: edges[i]!, toMs }));
}

/** Whether a range reaches over another. */
export function isOver(range: Range, interval: Range): boolean {
  return range.fromMs <= interval.fromMs && range.toMs >= interval.toMs;
}

/** Whether a walk began after an interval had closed by both clocks. */
export function isClosed(
  { source, runs }: Plan,
  { dateMs, runIndex }: Walk,
  { toMs }: Range,
): boolean {
  return toMs + source.grace_period <= Math.min(dateMs, runs[runIndex]!.localMs);
}

/** Whether two reads show the same of an interval. */
export function showsSame(a: Read, b: Read, interval: Range): boolean {
  return formatText(readContent(a, interval)) === formatText(readContent(b, interval));
}

// Readable records by their number; one with an id counts once.
function readContent(read: Read, interval: Range): Map<string, number> {
  const counts = shownBy(read, (event) => event.isReadable && isIn(event, interval));
  return new Map([...counts].map(([key, count]) => [key, key.startsWith("/") ? count : 1]));
}

function isIn({ timeMs }: SimEvent, { fromMs, toMs }: Range): boolean {
  return timeMs >= fromMs && timeMs < toMs;
}

/** Whether the service no longer had all of an interval: such an answer proves nothing. */
export function isNeutral({ events }: Plan, { walks }: Read, interval: Range): boolean {
  const endMs = Math.max(...walks.map((walk) => walk.endMs));
  return events.some((event) => isIn(event, interval) && event.hiddenMs <= endMs);
}

// Whether any of the later reads showed more of the interval than every read before it.
function isNothingNew(known: readonly Read[], later: readonly Read[], interval: Range): boolean {
  return later.every((read) => {
    const before = known.slice(0, known.indexOf(read)).map((other) => readContent(other, interval));
    return [...readContent(read, interval)].every(([key, count]) =>
      before.some((content) => (content.get(key) ?? 0) >= count),
    );
  });
}

// If a service states no end, a truncated answer looks like a complete one: then other evidence is needed.
function isShownWhole(
  { manners: { style } }: Plan,
  walks: readonly Walk[],
  before: Read,
  read: Read,
  interval: Range,
): boolean {
  if (style !== "none" && style !== "link_header") return true;
  const isCut = [before, read].some(({ walks: parts }) => parts.filter(hasRecords).length > 1);
  if (isCut) return true;
  const runIndex = walks.filter((walk) => walk.runIndex <= read.runIndex);
  if (style === "link_header" && runIndex.some(({ pages }) => pages.size > 1)) return true;
  if (readContent(read, interval).size === 0) return runIndex.some(hasRecords);
  const count = read.walks.flatMap(shownIn).length;
  return runIndex.some((walk) => isLonger(walk, read) && shownIn(walk).length > count);
}

function hasRecords(walk: Walk): boolean {
  return filledIn(walk).length > 0;
}

function isLonger(walk: Walk, read: Read): boolean {
  return isOver(walk, read) && (walk.fromMs < read.fromMs || walk.toMs > read.toMs);
}

/** A range as text. */
export function rangeText({ fromMs, toMs }: Range): string {
  const text = (ms: number): string =>
    Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms);
  return `${text(fromMs)} to ${text(toMs)}`;
}
