import type { Plan, Run, SimEvent } from "./plan.ts";

/** What the store holds of a source: the ids of its events, and its windows. */
export type Stored = {
  readonly ids: ReadonlySet<string>;
  readonly windows: readonly {
    readonly startMs: number;
    readonly endMs: number;
    readonly state: string;
  }[];
};

/** Whether at least one clock showed the time: if both are ahead, no program can know it before the next run. */
export function isSure({ runs, wrong }: Plan, i: number): boolean {
  const { trueMs, ourMs, dateMs } = runs[i]!;
  return i !== wrong || Math.min(ourMs, dateMs ?? ourMs) <= trueMs;
}

/** Windows that are final although the service holds more, now or later, than is stored. */
export function tooFinal({ events }: Plan, { trueMs }: Run, { ids, windows }: Stored): string[] {
  const finals = windows.filter(({ state }) => state === "finalized" || state === "accepted");
  return finals.flatMap(({ startMs, endMs }) => {
    const inside = events.filter(({ timeMs }) => timeMs >= startMs && timeMs < endMs);
    const missing = inside.filter(({ id }) => !ids.has(id)).length;
    const name = `${new Date(startMs).toISOString()} to ${new Date(endMs).toISOString()}`;
    if (endMs > trueMs) return [`${name} is final before its end`];
    return missing === 0
      ? []
      : [`${name} is final on ${inside.length - missing} of ${inside.length}`];
  });
}

/** Events that the last run could read, since the first one began, and that are not stored. */
export function lost(plan: Plan, { ids }: Stored): string[] {
  const due = dueEvents(plan);
  const missing = due.filter(({ id }) => !ids.has(id)).length;
  return missing === 0 ? [] : [`${due.length - missing} of ${due.length} events are stored`];
}

/** Windows that closed before the second last run and are not final. */
export function notFinal(plan: Plan, { windows }: Stored): string[] {
  const { source, runs } = plan;
  const closedMs = runs.at(-2)!.trueMs - source.grace_period;
  return windows
    .filter(
      ({ startMs, endMs, state }) =>
        startMs >= firstDueMs(plan) && endMs <= closedMs && state !== "finalized",
    )
    .map(({ startMs, state }) => `${new Date(startMs).toISOString()} is still ${state}`);
}

function dueEvents(plan: Plan): SimEvent[] {
  const fromMs = firstDueMs(plan);
  const untilMs = plan.runs.at(-1)!.trueMs;
  return plan.events.filter(({ timeMs, visibleMs }) => timeMs >= fromMs && visibleMs <= untilMs);
}

// The scheduled reading begins with the look-back of the first run, by a clock that may be ahead.
function firstDueMs({ runs, source }: Plan): number {
  const [first, second] = runs as [Run, Run];
  return Math.max(first.ourMs, first.trueMs, second.trueMs) - source.lookback;
}
