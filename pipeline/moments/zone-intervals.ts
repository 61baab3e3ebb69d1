// What the clocks of a time zone show, from the rules that this program's runtime brings.

/** An interval of time in which the clocks of a zone are equally far ahead of UTC; milliseconds since the epoch. */
export type ZoneInterval = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMinutes: number;
};

/** The version of the rules. */
export const zoneRules = process.versions["tz"] ?? "unknown";

const firstMs = Date.UTC(2000, 0, 1);
const lastMs = Date.UTC(2050, 0, 1);
// Some clocks are set back for a month alone.
const stepMs = 7 * 86_400_000;
const minuteMs = 60_000;

/** The intervals of a zone from 2000 to 2049, without gaps; before and after them the clocks stay as they are. */
export function intervalsOf(zone: string): ZoneInterval[] {
  const offsetAt = offsetsOf(zone);
  const intervals: ZoneInterval[] = [];
  let [fromMs, offset] = [firstMs, offsetAt(firstMs)];
  for (let atMs = firstMs; atMs < lastMs; atMs += stepMs) {
    // Two changes may lie within one step of each other.
    for (let seenMs = atMs; offsetAt(atMs + stepMs) !== offset;) {
      const changeMs = changeBetween(seenMs, atMs + stepMs, offset, offsetAt);
      intervals.push({ fromMs, toMs: changeMs, offsetMinutes: offset });
      [fromMs, offset, seenMs] = [changeMs, offsetAt(changeMs), changeMs];
    }
  }
  return [...intervals, { fromMs, toMs: lastMs, offsetMinutes: offset }];
}

// The first minute, to the minute, at which the offset is another one.
function changeBetween(
  beforeMs: number,
  afterMs: number,
  offset: number,
  offsetAt: (ms: number) => number,
): number {
  let [low, high] = [beforeMs, afterMs];
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs;
    if (offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

function offsetsOf(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  return (ms) => {
    // GMT, GMT+01:00 or GMT-03:30.
    const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")!.value;
    const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    if (sign === undefined) return 0;
    return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };
}
