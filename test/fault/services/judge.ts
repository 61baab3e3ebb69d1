import type { Heard } from "./answer.ts";
import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";

/** What the store says after a run. */
export type Stored = {
  readonly events: readonly {
    readonly timeMs: number;
    readonly mark: string;
    readonly held: number;
  }[];
  readonly windows: readonly Interval[];
};

/** A window as the ledger has it, half-open, milliseconds. */
export type Interval = {
  readonly startMs: number;
  readonly endMs: number;
  readonly state: string;
  /** The state with what the ledger says against a better one. */
  readonly status: string;
};

/** An interval that a run reported as unreadable, with the number of the run. */
export type Refused = Span & { readonly runIndex: number };

/**
 * Returns the incomplete windows that the store calls final. Each must contain all events that the service had,
 * visible by the last run that requested them and reported no failure. With a well-behaved service it must contain
 * nothing else.
 */
export function finalOnLess(
  plan: Plan,
  heard: Heard,
  refused: readonly Refused[],
  runIndex: number,
  { events, windows }: Stored,
): string[] {
  return windows.filter(isFinal).flatMap((window) => {
    const asked = lastAsked(plan, heard, refused, window, runIndex);
    const truth = listCounts(listHeld(plan, window, asked));
    const own = events.filter(({ timeMs }) => isIn(window, timeMs));
    const held = new Map(own.map((event) => [`${event.timeMs} ${event.mark}`, event.held]));
    const missingCount = missing(truth, held);
    // A later request for another window may have brought what came late.
    const now = listCounts(listHeld(plan, window, runIndex));
    const surplus = plan.misbehavior === undefined ? missing(held, now) : 0;
    const of = `of ${sum(truth)} in ${formatText(window)}`;
    return [
      ...(missingCount > 0 ? [`finalized while incomplete: ${missingCount} ${of} missing`] : []),
      ...(surplus > 0 ? [`${surplus} more than ${of}: doubled`] : []),
    ];
  });
}

/** Windows of the grid that two readings have shown the same of, after they had closed, and that are not final. */
export function notFinal(plan: Plan, runIndex: number, { windows }: Stored): string[] {
  if (runIndex === 0) return [];
  const { runTimes, source } = plan;
  const first = Math.floor((runTimes[0]! - source.lookback) / source.window);
  const last = Math.floor((runTimes[runIndex - 1]! - source.grace_period) / source.window) - 1;
  const due = Array.from({ length: last - first + 1 }, (_, i) => ({
    startMs: (first + i) * source.window,
    endMs: (first + i + 1) * source.window,
  }));
  const unfinished = due.filter(
    (window) =>
      listHeld(plan, window, runIndex).length === listHeld(plan, window, runIndex - 1).length &&
      !isCovered(window, windows.filter(isFinal)),
  );
  return unfinished.map((window) => {
    const states = windows.filter((w) => w.startMs < window.endMs && w.endMs > window.startMs);
    const held = listHeld(plan, window, runIndex);
    const seconds = new Set(held.map(({ timeMs }) => timeMs)).size;
    const found = states.map(({ status }) => status).join(", ") || "not read";
    return `not final: ${formatText(window)} is ${found}, with ${held.length} records in ${seconds} seconds`;
  });
}

/** Windows that became final in the run that reported their failure. */
export function finalThoughRefused(
  refused: readonly Refused[],
  runIndex: number,
  before: readonly Interval[],
  { windows }: Stored,
): string[] {
  return newlyFinal(before, windows)
    .filter((window) => isRefused(refused, window, runIndex))
    .map((window) => `finalized while incomplete: ${formatText(window)} had failed`);
}

/** Windows that became final in a run although the service has deleted a part of them before. */
export function finalOnForgotten(
  plan: Plan,
  runIndex: number,
  before: readonly Interval[],
  { windows }: Stored,
): string[] {
  if (plan.misbehavior?.name !== "forgets" || runIndex === 0) return [];
  const walk = { runIndex, window: 0, sameEnd: 0, sameStart: 0 };
  return newlyFinal(before, windows)
    .filter((window) => {
      const held = listHeld(plan, window, runIndex);
      return plan.misbehavior!.list!(held, walk).length < held.length;
    })
    .map((window) => `finalized while incomplete: ${formatText(window)} was forgotten in part`);
}

/**
 * Windows that were final before a run in which the service returned nothing of them, or nothing of their start. Such
 * a read neither agrees nor disagrees (section 4 rule 2), so that late events stay unknown.
 */
export function leftUnsaid(plan: Plan, runIndex: number, before: readonly Interval[]): Interval[] {
  return before.filter(isFinal).filter((final) => {
    const held = listHeld(plan, final, runIndex);
    const shown = listShown(plan, final, runIndex);
    const hidden = held.filter((event) => !shown.includes(event));
    const firstMs = Math.min(...shown.map(({ timeMs }) => timeMs));
    return hidden.length > 0 && hidden.every(({ timeMs }) => timeMs < firstMs);
  });
}

/**
 * Windows of which the service returns in a run all that it has, and did so in an earlier one after they had closed.
 * Late events in between are hidden so that both reads look like those of a service without them.
 */
export function hiddenArrivals(plan: Plan, runIndex: number, stored: Stored): Interval[] {
  const { runTimes, source } = plan;
  return stored.windows.filter((window) => {
    const isClosed = (m: number): boolean => window.endMs + source.grace_period <= runTimes[m]!;
    const shown = listShown(plan, window, runIndex);
    if (shown.length === listHeld(plan, window, runIndex).length) return false;
    return Array.from({ length: runIndex }, (_, m) => m).some((m) => {
      const held = listHeld(plan, window, m);
      const isComplete = listShown(plan, window, m).length === held.length;
      return isClosed(m) && isComplete && held.length === shown.length && isWithin(held, shown);
    });
  });
}

// As the misbehavior affects a walk that requests only the window.
function listShown(plan: Plan, window: Span, runIndex: number): readonly SimEvent[] {
  const { misbehavior, source } = plan;
  const isNamed = source.audits.window_params !== null;
  const number = isNamed ? Math.floor(window.startMs / source.window) : 0;
  const held = listHeld(plan, window, runIndex);
  return misbehavior?.list?.(held, { runIndex, window: number, sameEnd: 0, sameStart: 0 }) ?? held;
}

function isWithin(these: readonly SimEvent[], those: readonly SimEvent[]): boolean {
  return these.every((event) => those.includes(event));
}

function newlyFinal(before: readonly Interval[], windows: readonly Interval[]): Interval[] {
  return windows.filter((w) => isFinal(w) && !isCovered(w, before.filter(isFinal)));
}

function isRefused(refused: readonly Refused[], window: Span, runIndex: number): boolean {
  return refused.some(
    (r) => r.runIndex === runIndex && r.startMs < window.endMs && r.endMs > window.startMs,
  );
}

function isFinal({ state }: Interval): boolean {
  return state === "finalized";
}

type Span = { readonly startMs: number; readonly endMs: number };

function isIn({ startMs, endMs }: Span, ms: number): boolean {
  return ms >= startMs && ms < endMs;
}

function isCovered({ startMs, endMs }: Span, by: readonly Span[]): boolean {
  let reached = startMs;
  for (const span of [...by].sort((a, b) => a.startMs - b.startMs))
    if (span.startMs <= reached) reached = Math.max(reached, span.endMs);
  return reached >= endMs;
}

function listHeld({ events, runTimes }: Plan, window: Span, runIndex: number): SimEvent[] {
  return events.filter((e) => isIn(window, e.timeMs) && e.visibleMs <= runTimes[runIndex]!);
}

// A range over more than a window is requested for another one's end, and not stored.
function lastAsked(
  { source }: Plan,
  asked: Heard,
  refused: readonly Refused[],
  window: Span,
  runIndex: number,
): number {
  const { startMs, endMs } = window;
  const over = asked.filter(
    (a) =>
      (a.toMs - a.fromMs <= source.window || a.fromMs === -Infinity) &&
      a.runIndex <= runIndex &&
      a.fromMs < endMs &&
      a.toMs > startMs &&
      !isRefused(refused, window, a.runIndex),
  );
  return Math.max(0, ...over.map((a) => a.runIndex));
}

type Counts = ReadonlyMap<string, number>;

function listCounts(events: readonly SimEvent[]): Counts {
  const marks = events.map(({ timeMs, serial }) => `${timeMs} r${serial}`);
  return new Map([...Map.groupBy(marks, (mark) => mark)].map(([mark, all]) => [mark, all.length]));
}

function missing(of: Counts, from: Counts): number {
  return [...of].reduce((all, [mark, n]) => all + Math.max(0, n - (from.get(mark) ?? 0)), 0);
}

function sum(counts: Counts): number {
  return [...counts.values()].reduce((all, n) => all + n, 0);
}

function formatText({ startMs, endMs }: Span): string {
  return [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 19)).join(" to ");
}
