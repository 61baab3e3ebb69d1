// What clocks on a wall show, as the milliseconds since the epoch at which they would show it in UTC.

const dayMs = 86_400_000;

/** What clocks of a zone show at a moment. */
export function toWallMs(timezone: string, atMs: number): number {
  return atMs + computeOffset(timezone, atMs);
}

/** Whether clocks of a zone are changed within a day of a moment. */
export function isNearChange(timezone: string, atMs: number): boolean {
  const offset = computeOffset(timezone, atMs);
  return [-1, -0.5, 0.5, 1].some((days) => computeOffset(timezone, atMs + days * dayMs) !== offset);
}

/** When clocks of a zone show something: once, twice where they were set back, or never, with the end of that gap. */
export type ShownMoments = {
  readonly moments: readonly number[];
  readonly gapEnd: number | undefined;
};

/** The moments at which clocks of a zone show what is on the wall. */
export function findMoments(timezone: string, wallMs: number): ShownMoments {
  const [before, after] = [wallMs - dayMs, wallMs + dayMs].map((ms) => computeOffset(timezone, ms));
  const offsets = [...new Set([before!, after!])];
  const moments = offsets
    .map((offset) => wallMs - offset)
    .filter((ms) => toWallMs(timezone, ms) === wallMs)
    .toSorted((a, b) => a - b);
  if (moments.length > 0) return { moments, gapEnd: undefined };
  return { moments, gapEnd: findGapEnd(timezone, wallMs - after!, wallMs - before!) };
}

// The first moment after clocks were set forward, somewhere between two others.
function findGapEnd(timezone: string, fromMs: number, toMs: number): number {
  const [low, high] = [(Math.floor(fromMs / 1000) - 1) * 1000, Math.ceil(toMs / 1000) * 1000];
  const offset = computeOffset(timezone, high);
  return changeBetween(low, high, 1000, (ms) => computeOffset(timezone, ms) === offset);
}

// What clocks of a time zone show, part by part, from the rules that this program's runtime brings.

/** What shows moments as clocks of a zone do, to the second. */
export function newZoneFormat(
  timezone: string,
  more: Intl.DateTimeFormatOptions = {},
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...more,
  });
}

/** Returns the parts of a moment by name; empty if the format does not show a part. */
export function readParts(
  format: Intl.DateTimeFormat,
  ms: number,
): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return (type) => parts.get(type) ?? "";
}

/** A moment as clocks of a zone show it, with their offset: `2026-11-21T08:30:00+01:00`. */
export function formatZonedTime(ms: number, timezone: string): string {
  const part = readParts(newZoneFormat(timezone, { timeZoneName: "longOffset" }), ms);
  const date = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  const offset = part("timeZoneName").replace(/^GMT/, "") || "+00:00";
  return `${date}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}

/** The same for people, to the minute: `Mon 2026-11-23 02:15 GMT+1`. */
export function formatLocalTime(ms: number, timezone: string): string {
  const part = readParts(
    newZoneFormat(timezone, { weekday: "short", timeZoneName: "shortOffset" }),
    ms,
  );
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  const offset = part("timeZoneName").replace(/^GMT(?:\+0)?$/, "UTC");
  return `${part("weekday")} ${date} ${part("hour")}:${part("minute")} ${offset}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function getZoneFormat(timezone: string): Intl.DateTimeFormat {
  const format = formats.get(timezone) ?? newZoneFormat(timezone);
  formats.set(timezone, format);
  return format;
}

/** How far clocks of a zone are ahead of UTC at a moment, milliseconds. */
export function computeOffset(timezone: string, atMs: number): number {
  const wholeMs = Math.floor(atMs / 1000) * 1000;
  const part = readParts(getZoneFormat(timezone), wholeMs);
  const [year, month, day] = [part("year"), part("month"), part("day")].map(Number);
  const [hour, minute, second] = [part("hour"), part("minute"), part("second")].map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - wholeMs;
}

/** The first moment, in steps from one before a change of the clocks to one after it, that is after it. */
export function changeBetween(
  beforeMs: number,
  afterMs: number,
  stepMs: number,
  isAfter: (ms: number) => boolean,
): number {
  let [low, high] = [beforeMs, afterMs];
  while (high - low > stepMs) {
    const middle = low + Math.floor((high - low) / 2 / stepMs) * stepMs;
    if (isAfter(middle)) high = middle;
    else low = middle;
  }
  return high;
}

// What the clocks of a time zone show, from the rules that this program's runtime brings.

/** An interval of time in which the clocks of a zone are equally far ahead of UTC; milliseconds since the epoch. */
type ZoneInterval = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMinutes: number;
};

export const zoneRules = process.versions["tz"] ?? "unknown";

const firstMs = Date.UTC(2000, 0, 1);
const lastMs = Date.UTC(2050, 0, 1);
// Some clocks are set back for a month alone.
const stepMs = 7 * 86_400_000;
const minuteMs = 60_000;

/** Lists the intervals of a zone from 2000 to 2049, without gaps; before and after them the clocks do not change. */
export function listIntervals(zone: string): ZoneInterval[] {
  const computeOffsetMinutes = (ms: number): number => computeOffset(zone, ms) / minuteMs;
  const intervals: ZoneInterval[] = [];
  let [fromMs, offset] = [firstMs, computeOffsetMinutes(firstMs)];
  for (let atMs = firstMs; atMs < lastMs; atMs += stepMs) {
    // Two changes may lie within one step of each other.
    for (let seenMs = atMs; computeOffsetMinutes(atMs + stepMs) !== offset;) {
      const former = offset;
      const isAfter = (ms: number): boolean => computeOffsetMinutes(ms) !== former;
      const changeMs = changeBetween(seenMs, atMs + stepMs, minuteMs, isAfter);
      intervals.push({ fromMs, toMs: changeMs, offsetMinutes: offset });
      [fromMs, offset, seenMs] = [changeMs, computeOffsetMinutes(changeMs), changeMs];
    }
  }
  return [...intervals, { fromMs, toMs: lastMs, offsetMinutes: offset }];
}
