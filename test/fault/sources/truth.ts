import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import { type Read, shownBy } from "./reads.ts";
import { listCounts, getKey, type Range } from "./walks.ts";

/** How often each record is held. */
export type Held = ReadonlyMap<string, number>;

/** How often a record must be held at least, and may be at most. */
type Bounds = { least: number; most: number };

/**
 * What a store must have after the accepted reads, in their order. A record with an id counts once. Of those without,
 * as many are certain as one page showed at once. The others may be a record that moved to the next page. So all of
 * them are required only if the previous read agrees, or if nothing moved, in the last run. More than the source ever
 * had is always wrong, except for unreadable records: those count as they come.
 */
export function listBounds(plan: Plan, reads: readonly Read[]): Map<string, Bounds> {
  const exist = listCounts(plan.events);
  const byKey = new Map(plan.events.map((event) => [getKey(event), event]));
  const bounds = new Map<string, Bounds>();
  for (const [i, read] of reads.entries()) {
    const before = reads.slice(0, i).findLast((other) => touches(other, read));
    const isSure = read.runIndex === plan.runs.length - 1 || agrees(before, read);
    for (const [key, shown] of shownBy(read)) {
      const event = byKey.get(key)!;
      const counted = event.isReadable && event.id !== null ? 1 : shown;
      const most = event.isReadable ? Math.min(counted, exist.get(key) ?? 0) : counted;
      const isCertain = !event.isReadable || (isSure && isInside(read, event));
      const least = Math.min(most, isCertain ? counted : mostOnOnePage(read, key));
      const bound = bounds.get(key) ?? { least: 0, most: 0 };
      bounds.set(key, {
        least: Math.max(bound.least, least),
        most: Math.max(bound.most, most),
      });
    }
  }
  return bounds;
}

function mostOnOnePage({ walks }: Read, key: string): number {
  const pages = walks.flatMap((walk) => [...walk.pages.values()]);
  return Math.max(...pages.map(({ events }) => listCounts(events).get(key) ?? 0));
}

/** Whether two ranges have time in common. */
export function touches(a: Range, b: Range): boolean {
  return a.fromMs < b.toMs && a.toMs > b.fromMs;
}

function isInside({ fromMs, toMs }: Range, { timeMs }: SimEvent): boolean {
  return timeMs >= fromMs && timeMs < toMs;
}

// A record that a service omitted, or an unreadable one that arrived in between, moved the pages, too.
function agrees(before: Read | undefined, read: Read): boolean {
  if (before?.fromMs !== read.fromMs || before.toMs !== read.toMs) return false;
  if ([...before.walks, ...read.walks].some(({ isShort }) => isShort)) return false;
  return formatText(shownBy(before)) === formatText(shownBy(read));
}

/** Counts as text that can be compared. */
export function formatText(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([key, count]) => `${key} ${count}`)
    .sort()
    .join("\n");
}

/** What of the stored records is out of bounds, one line each. */
export function differences(bounds: ReadonlyMap<string, Bounds>, held: Held): string[] {
  const keys = [...new Set([...bounds.keys(), ...held.keys()])].sort();
  return keys.flatMap((key) => {
    const { least, most } = bounds.get(key) ?? { least: 0, most: 0 };
    const have = held.get(key) ?? 0;
    if (have < least) return [`${key} is held ${have} times, expected ${least}: lost`];
    return have > most ? [`${key} is held ${have} times, expected ${most}: doubled`] : [];
  });
}

/**
 * Records that the scheduled runs must have, regardless of other faults. They were shown in time and never removed.
 * They are in the scheduled range of the first run that stored anything, and were not reported as given up.
 */
export function missed(
  plan: Plan,
  reads: readonly Read[],
  gaps: readonly Range[],
  held: Held,
): string[] {
  const { events, runs, source, manners } = plan;
  if (runs.some(({ shortRate }) => shortRate > 0)) return [];
  if (!manners.isPinned && events.some(({ hiddenMs }) => hiddenMs < Infinity)) return [];
  const dueMs = firstDue(plan, reads);
  const last = runs.at(-1)!;
  const isDue = (event: SimEvent): boolean => {
    const { timeMs, visibleMs, hiddenMs } = event;
    if (gaps.some((gap) => isInside(gap, event))) return false;
    const end = (Math.floor(timeMs / source.window) + 1) * source.window;
    const isInTime = visibleMs <= Math.min(end + source.grace_period, last.atMs);
    return timeMs >= dueMs && timeMs < last.localMs && isInTime && hiddenMs > last.atMs + 3_600_000;
  };
  const due = events.filter(isDue).map(getKey);
  return [...new Set(due)].filter((key) => !held.has(key)).map((key) => `${key} was due: lost`);
}

// Where the scheduled reading began; Infinity where nothing was ever stored.
function firstDue({ runs, source }: Plan, reads: readonly Read[]): number {
  const first = runs[Math.min(...reads.map(({ runIndex }) => runIndex))];
  return first === undefined ? Infinity : first.localMs - source.lookback;
}
