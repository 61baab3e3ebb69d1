/** What decides whether events form a run: equal events by one person from one address, with short pauses. */
export type EventOfRun = {
  readonly source: string;
  readonly timeMs: number;
  readonly eventName: string;
  readonly outcome: string;
  readonly denialKind: string | null;
  readonly person: string;
  readonly address: string | null;
};

/** Events that a table shows as one row, in the order of the table. */
export type Run<T> = {
  readonly events: readonly [T, ...T[]];
  readonly firstMs: number;
  readonly lastMs: number;
};

const pauseMs = 10 * 60_000;

/**
 * Groups equal events with pauses under ten minutes into runs, even with other events between them. The events are in
 * order of time, ascending or descending; a run is at the place of its first listed event.
 */
export function foldEvents<T>(events: readonly T[], describe: (event: T) => EventOfRun): Run<T>[] {
  type OpenRun = { events: [T, ...T[]]; firstMs: number; lastMs: number };
  const runs: OpenRun[] = [];
  const open = new Map<string, OpenRun>();
  for (const event of events) {
    const { timeMs, ...kind } = describe(event);
    const key = JSON.stringify(kind, Object.keys(kind).sort());
    const run = open.get(key);
    if (run !== undefined && timeMs < run.lastMs + pauseMs && timeMs > run.firstMs - pauseMs) {
      run.events.push(event);
      run.firstMs = Math.min(run.firstMs, timeMs);
      run.lastMs = Math.max(run.lastMs, timeMs);
      continue;
    }
    const next: OpenRun = { events: [event], firstMs: timeMs, lastMs: timeMs };
    runs.push(next);
    open.set(key, next);
  }
  return runs;
}
