import type { Random } from "../../../fixtures/random.ts";

/** One record of a simulated log. */
export type SimEvent = {
  /** The number in the record; equal records share it. */
  readonly serial: number;
  readonly id: string | null;
  readonly timeMs: number;
  /** When the service shows it first, milliseconds by its clock. */
  readonly visibleMs: number;
  readonly user: number;
  /** Place in an order that means nothing. */
  readonly shuffle: number;
};

/** What a log is made for. */
export type Setting = {
  readonly windowMs: number;
  /** Starts of the windows that it may have events in. */
  readonly starts: readonly number[];
  readonly runTimes: readonly number[];
  /** Share of the records that have an id. */
  readonly withIds: number;
  /** No two events share a second, and no window has but one or two of them. */
  readonly isSpread: boolean;
  /** Hardly any events at all. */
  readonly isLow: boolean;
  /** Share of the events that come late, after the first run. */
  readonly late: number;
};

const loads = ["none", "one", "two", "second", "few", "many", "dense", "burst", "edge"] as const;

/** A log, window by window: empty ones, ones of a single record or second, crowds, equal records, records at an edge. */
export function makeEvents(random: Random, setting: Setting): SimEvent[] {
  const { starts, isLow, isSpread } = setting;
  const count = isLow ? random.int(0, 2) : starts.length;
  const busy = isLow
    ? Array.from({ length: count }, () => random.pick(starts))
    : starts.filter(() => random.chance(0.85));
  let serial = 0;
  return busy.flatMap((startMs) => {
    const load = isLow
      ? "one"
      : isSpread
        ? random.pick(["few", "many"] as const)
        : random.pick(loads);
    return makeSeconds(random, load, setting).flatMap(({ second, copies }) => {
      const event = newEvent(random, (serial += 1), startMs + second * 1000, setting, copies > 1);
      return Array.from({ length: copies }, () => ({ ...event, shuffle: random.next() }));
    });
  });
}

type Place = { readonly second: number; readonly copies: number };

function makeSeconds(
  random: Random,
  load: (typeof loads)[number],
  { windowMs, isSpread }: Setting,
): Place[] {
  const last = windowMs / 1000 - 1;
  const some = (count: number): Place[] =>
    Array.from({ length: count }, () => ({ second: random.int(0, last), copies: 1 }));
  const together = (count: number): Place[] => {
    const second = random.int(0, last);
    return Array.from({ length: count }, () => ({ second, copies: 1 }));
  };
  if (isSpread)
    return spread(random, load === "few" ? random.int(7, 14) : random.int(15, 45), last);
  switch (load) {
    case "none":
      return [];
    case "one":
      return some(1);
    case "two":
      return some(2);
    case "second":
      return together(random.int(2, 6));
    case "few":
      return some(random.int(3, 12));
    case "many":
      return some(random.int(15, 40));
    case "dense":
      return [...together(random.int(8, 25)), ...some(random.int(0, 3))];
    case "burst":
      return [
        { second: random.int(0, last), copies: random.int(2, 25) },
        ...some(random.int(0, 4)),
      ];
    case "edge":
      return [0, last].flatMap((second) => Array(random.int(1, 3)).fill({ second, copies: 1 }));
  }
}

// Each in an interval of its own, so that every cut between two of them is one.
function spread(random: Random, count: number, last: number): Place[] {
  const width = Math.floor((last + 1) / count);
  return Array.from({ length: count }, (_, i) => ({
    second: i * width + random.int(0, width - 2),
    copies: 1,
  }));
}

function newEvent(
  random: Random,
  serial: number,
  timeMs: number,
  { runTimes, withIds, late }: Setting,
  isRepeated: boolean,
): SimEvent {
  const isLate = runTimes.length > 1 && random.chance(late);
  return {
    serial,
    id: !isRepeated && random.chance(withIds) ? random.uuid() : null,
    timeMs,
    visibleMs: isLate ? Math.max(timeMs, random.int(runTimes[0]! + 1000, runTimes[1]!)) : timeMs,
    user: random.int(1, 99),
    shuffle: random.next(),
  };
}
