import type { Random } from "../../../fixtures/random.ts";
import type { SourceConfig } from "../../../schemas/config.ts";

/** One record of a simulated log. */
export type SimEvent = {
  readonly id: string | null;
  /** Says which content it has: records with the same id and label are equal. */
  readonly label: string;
  readonly fields: Readonly<Record<string, string | number | null>>;
  /** False for a record that has no time and so cannot be an event. */
  readonly isReadable: boolean;
  readonly timeMs: number;
  /** From and until when the service shows it, milliseconds by its clock. */
  readonly visibleMs: number;
  readonly hiddenMs: number;
  /** Place in an order that means nothing. */
  readonly shuffle: number;
};

export type Setting = {
  readonly runs: readonly { readonly atMs: number }[];
  readonly source: SourceConfig;
  /** Share of the records that have an id. */
  readonly withIds: number;
  /** Whether records appear and vanish between two pages of a run. */
  readonly mayMove: boolean;
};

const names = ["job_kill", "user_login", "query_result_download", "no_such_event"];

/**
 * The log of a source has ties, equal records, ids used twice, records at the edges of windows and late ones. Some
 * appear or vanish during a run, some are deleted, some are unreadable.
 */
export function makeEvents(random: Random, setting: Setting): SimEvent[] {
  const { runs, source } = setting;
  const seconds = makeSeconds(random, setting);
  const retentionMs = random.chance(0.15)
    ? Math.round((source.window * random.int(8, 25)) / 10)
    : Infinity;
  const events: SimEvent[] = [];
  const count = random.int(4, 28);
  for (let n = 0; n < count; n++) {
    const timeMs = random.pick(seconds);
    const id = random.chance(setting.withIds) ? random.uuid() : null;
    const event = newEvent(random, `c${n}`, id, timeMs);
    const arrival = (): Pick<SimEvent, "visibleMs" | "hiddenMs"> =>
      makeArrival(random, timeMs, retentionMs, setting.mayMove ? runs : [], source.window);
    events.push({ ...event, ...arrival() });
    for (let copies = random.chance(0.15) ? random.int(1, 4) : 0; copies > 0; copies--)
      events.push({ ...event, shuffle: random.next(), ...arrival() });
    // The same id with another content: both are kept.
    if (id !== null && random.chance(0.06))
      events.push({ ...newEvent(random, `c${n}b`, id, timeMs), ...arrival() });
  }
  return events;
}

/** A record that is shown from its time on and never forgotten. */
export function newEvent(
  random: Random,
  label: string,
  id: string | null,
  timeMs: number,
): SimEvent {
  const isReadable = !random.chance(0.03);
  const time = random.pick([timeMs / 1000, timeMs / 1000, timeMs, new Date(timeMs).toISOString()]);
  const fields = {
    time: isReadable ? time : null,
    event_name: random.pick(names),
    id,
    user_id: random.pick([null, random.int(1, 99)]),
    session_id: label,
    new_value: random.pick([null, "a,b", 'says "no"', "größe\n2"]),
    shade: random.pick([null, null, "red"]),
  };
  return {
    id,
    label,
    fields,
    isReadable,
    timeMs,
    visibleMs: timeMs,
    hiddenMs: Infinity,
    shuffle: random.next(),
  };
}

// Mostly close together: windows with nothing in them are read quickly, and there are many seeds.
function makeSeconds(random: Random, { runs, source }: Setting): number[] {
  let first = runs[0]!.atMs - source.lookback - source.window / 2;
  let last = runs.at(-1)!.atMs;
  if (random.chance(0.7)) {
    first = random.int(first, last - source.window / 2);
    last = first + source.window / 2;
  }
  const count = random.int(3, 12);
  return Array.from({ length: count }, () => makeMoment(random, first, last, source.window));
}

// Whole seconds, often the first or last of a window.
function makeMoment(random: Random, first: number, last: number, windowMs: number): number {
  const any = Math.floor(random.int(first, last) / 1000) * 1000;
  const edge = Math.floor(any / windowMs) * windowMs;
  return random.pick([any, any, edge, edge - 1000]);
}

function makeArrival(
  random: Random,
  timeMs: number,
  retentionMs: number,
  runs: readonly { readonly atMs: number }[],
  windowMs: number,
): Pick<SimEvent, "visibleMs" | "hiddenMs"> {
  const lateMs = random.chance(0.3) ? Math.round((windowMs * random.int(0, 15)) / 10) : 0;
  const hiddenMs = timeMs + retentionMs;
  if (runs.length === 0 || random.chance(0.7)) return { visibleMs: timeMs + lateMs, hiddenMs };
  // Appears, or sometimes vanishes, between two pages of a run; not in the last one.
  const during = random.pick(runs.slice(0, -1)).atMs + random.int(1, 8) * 1000;
  if (random.chance(0.7)) return { visibleMs: Math.max(timeMs, during), hiddenMs };
  return { visibleMs: timeMs, hiddenMs: Math.max(timeMs, during) };
}
