import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import { countsOf, keyOf, shownIn, type Walk } from "./walks.ts";

/** How often each record is held. */
export type Held = ReadonlyMap<string, number>;

/** How often a record must be held at least, and may be at most. */
type Bounds = { least: number; most: number };

/**
 * What a store must hold after the accepted walks, in their order. A record with an id counts once. Of one
 * without, as many are certain as one page showed at once; the others may be a record that slipped to the next
 * page, so all of them are due only where the walk before agrees, or where nothing moved: in the last night.
 * More than the source ever had is wrong in any case. Unreadable records, in quarantine, count as they come.
 */
export function boundsOf(plan: Plan, accepted: readonly Walk[]): Map<string, Bounds> {
  const { events, nights } = plan;
  const exist = countsOf(events);
  const withId = new Set(events.filter((e) => e.isReadable && e.id !== null).map(keyOf));
  const unreadable = new Set(events.filter((e) => !e.isReadable).map(keyOf));
  const bounds = new Map<string, Bounds>();
  for (const [i, walk] of accepted.entries()) {
    const before = accepted.slice(0, i).findLast((other) => touches(other, walk));
    const inside = countsOf(shownIn(walk).filter((event) => isCompared(plan, walk, event)));
    const isSure = walk.night === nights.length - 1 || agrees(before, walk);
    for (const [key, shown] of countsOf(shownIn(walk))) {
      const certain = isSure && inside.has(key) ? shown : mostOnOnePage(walk, key);
      const bound = bounds.get(key) ?? { least: 0, most: 0 };
      const count = (n: number): number => (withId.has(key) ? 1 : n);
      bound.least = Math.max(bound.least, count(unreadable.has(key) ? shown : certain));
      bound.most = Math.max(bound.most, count(shown));
      if (!unreadable.has(key)) bound.most = Math.min(bound.most, exist.get(key) ?? 0);
      bounds.set(key, bound);
    }
  }
  return bounds;
}

function mostOnOnePage({ pages }: Walk, key: string): number {
  return Math.max(...[...pages.values()].map((page) => countsOf(page).get(key) ?? 0));
}

function touches(a: Walk, b: Walk): boolean {
  return a.fromMs < b.toMs && a.toMs > b.fromMs;
}

function agrees(before: Walk | undefined, walk: Walk): boolean {
  if (before?.fromMs !== walk.fromMs || before.toMs !== walk.toMs) return false;
  // An unreadable record that came in between moved the pages, too.
  if (unreadableIn(before) !== unreadableIn(walk)) return false;
  return stretch(before, -Infinity, Infinity) === stretch(walk, -Infinity, Infinity);
}

function unreadableIn(walk: Walk): number {
  return shownIn(walk).filter(({ isReadable }) => !isReadable).length;
}

// Reads are compared inside the window they asked for; one of everything is read for each window of the night.
function isCompared({ nights, source }: Plan, walk: Walk, { timeMs }: SimEvent): boolean {
  if (walk.toMs < Infinity) return timeMs < walk.toMs;
  const { localMs } = nights[walk.night]!;
  const isLast = walk.night === nights.length - 1;
  return isLast && timeMs >= localMs - source.lookback && timeMs < localMs;
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
 * Records that a nightly reading must have, whatever else went wrong: shown in time and never taken back, in
 * the range that was due from the first night on that stored anything.
 */
export function missed(
  plan: Plan,
  walks: readonly Walk[],
  accepted: readonly Walk[],
  held: Held,
): string[] {
  const { events, nights, source, manners } = plan;
  if (nights.some(({ shortRate }) => shortRate > 0)) return [];
  if (!manners.isPinned && events.some(({ hiddenMs }) => hiddenMs < Infinity)) return [];
  const dueMs = firstDue(plan, accepted);
  const last = nights.at(-1)!;
  // Two equal pages look as if the service ignored the paging: such a window is refused, and loudly so.
  const refused = walks.filter((walk) => walk.isDoubtful && walk.night === nights.length - 1);
  const isDue = ({ timeMs, visibleMs, hiddenMs }: SimEvent): boolean => {
    if (refused.some(({ fromMs, toMs }) => timeMs >= fromMs && timeMs < toMs)) return false;
    const end = (Math.floor(timeMs / source.window) + 1) * source.window;
    const isInTime = visibleMs <= Math.min(end + source.grace_period, last.atMs);
    return timeMs >= dueMs && timeMs < last.localMs && isInTime && hiddenMs > last.atMs + 3_600_000;
  };
  const due = events.filter(isDue).map(keyOf);
  return [...new Set(due)].filter((key) => !held.has(key)).map((key) => `${key} was due: lost`);
}

/**
 * The latest moment that may be called final, milliseconds: from where the nightly reading began, stretch by
 * stretch, two accepted walks one after the other, both begun after the stretch had settled, showed the same. Where
 * the requests name no window, each window of a night has a walk over everything, and nobody can tell which is whose:
 * there any two walks that agree will do, window by window. Of `open` nobody knows whether they were accepted: the
 * walks on both sides of one may be taken for neighbours, or not.
 */
export function finalBound(plan: Plan, walks: readonly Walk[], open: readonly Walk[]): number {
  const { source } = plan;
  let bound = Math.floor(firstDue(plan, walks) / source.window) * source.window;
  // A walk over everything is one over what had settled by then.
  const closed = walks.flatMap((walk) => {
    const isOpen = open.includes(walk);
    if (walk.toMs === Infinity)
      return [{ ...walk, isOpen, toMs: walk.dateMs - source.grace_period }];
    return walk.toMs + source.grace_period <= walk.dateMs ? [{ ...walk, isOpen }] : [];
  });
  const isNameless = source.audits.window_params === null;
  const last = Math.max(...closed.map(({ toMs }) => toMs));
  const grid: number[] = [];
  for (let edge = bound; isNameless && edge <= last; edge += source.window) grid.push(edge);
  const edges = [...new Set([...grid, ...closed.flatMap(({ fromMs, toMs }) => [fromMs, toMs])])]
    .filter((edge) => edge > bound)
    .sort((a, b) => a - b);
  for (const edge of edges) {
    const over = closed.filter(({ fromMs, toMs }) => fromMs <= bound && toMs >= edge);
    const shown = over.map((walk) => stretch(walk, bound, edge));
    const neighbour = (n: number): number =>
      over.findLastIndex(({ isOpen }, place) => place < n && !isOpen && !isNameless);
    const earlier = (n: number): string[] => shown.slice(Math.max(0, neighbour(n)), n);
    if (!shown.some((text, n) => earlier(n).includes(text))) break;
    bound = edge;
  }
  return bound;
}

// Where the nightly reading began; Infinity where nothing was ever stored.
function firstDue({ nights, source }: Plan, accepted: readonly Walk[]): number {
  const first = nights[Math.min(...accepted.map(({ night }) => night))];
  return first === undefined ? Infinity : first.localMs - source.lookback;
}

function stretch(walk: Walk, fromMs: number, toMs: number): string {
  const inside = shownIn(walk).filter((e) => e.isReadable && e.timeMs >= fromMs && e.timeMs < toMs);
  const once = new Set(inside.filter(({ id }) => id !== null).map(keyOf));
  const others = inside.filter(({ id }) => id === null).map(keyOf);
  return [...once, ...others].sort().join("\n");
}
