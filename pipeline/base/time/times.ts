import { parseDuration } from "../../../schemas/duration.ts";
import { UsageError } from "../errors.ts";
import { earliestMs, type Interval, latestMs, parsePeriodWords } from "./periods.ts";
import { timezone as zoneSchema } from "../../../schemas/schedule.ts";
import { findMoments, toWallMs } from "./wall.ts";

const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?([Zz]|[+-]\d\d:\d\d)?)?$/;

/**
 * Milliseconds since the epoch of a time that a person wrote. It may be an ISO date, an RFC 3339 time, `now`, or a
 * duration before now such as `7d` or `12h`. It may also be the beginning of a period of the calendar: `2026-10`,
 * `yesterday`, `last month`. A time without a zone is UTC, and digits below the millisecond are dropped. Throws
 * UsageError for anything else, for example 30 February.
 */
export function parseMoment(text: string, nowMs: number): number {
  const ms =
    text === "now"
      ? nowMs
      : (parseBeforeNow(text, nowMs) ??
        parseIsoMoment(text) ??
        parsePeriodWords(text, nowMs)?.startMs);
  if (ms !== undefined && ms >= earliestMs && ms <= latestMs) return ms;
  throw new UsageError(
    `${JSON.stringify(text)} is not a time; expected a date (2026-01-31), a time (2026-01-31T10:20:30Z, without a zone UTC), a duration before now (7d, 12h), a month (2026-01), now, today, yesterday, monday, this or last week, month, year, or last 30 days`,
  );
}

/** The period of the calendar that the text of `--during` names; throws UsageError where it names none. */
export function parsePeriod(text: string, nowMs: number): Interval {
  const period = parsePeriodWords(text, nowMs);
  if (period !== undefined) return period;
  throw new UsageError(
    `--during ${JSON.stringify(text)} is not a period; expected a day (2026-01-31), a month (2026-01), today, yesterday, a weekday, this or last week, month, year, or last 30 days`,
  );
}

function parseBeforeNow(text: string, nowMs: number): number | undefined {
  const durationMs = parseDuration(text);
  return durationMs === undefined ? undefined : nowMs - durationMs;
}

function parseIsoMoment(text: string): number | undefined {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] =
    isoTime.exec(text) ?? [];
  if (year === undefined) return undefined;
  const millis = fraction.padEnd(3, "0").slice(0, 3);
  const utc = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`;
  const ms = Date.parse(utc);
  const offset = parseOffsetMs(zone);
  // The parser moves 30 February to March and 24:00 to the next day; only what comes back unchanged exists.
  const exists = !Number.isNaN(ms) && new Date(ms).toISOString() === utc;
  return exists && offset !== undefined ? ms - offset : undefined;
}

function parseOffsetMs(zone: string): number | undefined {
  if (zone === "Z" || zone === "z") return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * Parses the moment of a question, in milliseconds. A date, `yesterday` or any other period of the calendar means its
 * last millisecond in the time zone. Throws UsageError for invalid times and unknown zones.
 */
export function parseMomentMs(text: string, timezone: string, nowMs: number): number {
  const zone = zoneSchema.safeParse(timezone);
  if (!zone.success)
    throw new UsageError(`--timezone ${JSON.stringify(timezone)}: expected an IANA time zone`);
  const period = parsePeriodWords(text, toWallMs(zone.data, nowMs));
  if (period === undefined) return parseMoment(text, nowMs);
  // In another zone the first and the last day that are taken end outside of what is.
  const lastMs = findLastOfDay(period.endMs - dayMs, zone.data);
  return Math.min(Math.max(lastMs, earliestMs), latestMs);
}

const dayMs = 86_400_000;

// Midnight comes twice where clocks are set back over it, and not at all where they are set forward. The last moment
// that shows the day itself counts.
function findLastOfDay(utcMs: number, zone: string): number {
  const { moments, gapEnd } = findMoments(zone, utcMs + dayMs);
  const end = moments.findLast((ms) => toWallMs(zone, ms - 1) < utcMs + dayMs) ?? gapEnd!;
  return end - 1;
}
