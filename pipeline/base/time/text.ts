import { AuditlakeError } from "../errors.ts";
import { isStorable } from "./periods.ts";

// A moment is a number of milliseconds wherever it is reckoned with; these are its texts at the edges.

/**
 * DuckDB's form of a moment, in UTC: `2026-01-31 10:20:30.000`. Throws AuditlakeError for a moment whose text it could
 * not read back.
 */
export function toTimestamp(ms: number): string {
  if (!isStorable({ startMs: ms, endMs: ms }))
    throw new AuditlakeError(
      `found a time ${ms} milliseconds from 1970, expected years from 0 to 9999; check the clock of this machine`,
    );
  return formatSpaced(new Date(ms).toISOString());
}

/** A moment of RFC 3339 in UTC as the database and tables for people have it: without its letters. */
export function formatSpaced(moment: string): string {
  return moment.replace("T", " ").replace(/Z$/, "");
}

/** Parses a moment or date in DuckDB's form to milliseconds, truncated; NaN if invalid. */
export function fromTimestamp(stored: string): number {
  return parseSpaced(stored.length > dateLength ? `${stored}Z` : stored);
}

/** Parses a date or moment with a blank or a T between day and time to milliseconds; NaN if invalid. */
export function parseSpaced(moment: string): number {
  return Date.parse(moment.replace(" ", "T"));
}

/** A moment, RFC 3339, without milliseconds where it has none: `2026-01-31T10:20:30Z`. */
export function formatIso(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** A moment to the second, RFC 3339: `2026-01-31T10:20:30Z`. */
export function formatSecond(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The same for a stored moment: `2026-01-31 10:20:30.000`. */
export function stampText(stored: string): string {
  return `${stored.replace(" ", "T").replace(/\.\d+$/, "")}Z`;
}

const dateLength = "2026-01-31".length;

/** The day of a moment in UTC: `2026-01-31`. */
export function formatDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, dateLength);
}

/** The time of day of a moment in UTC: `10:20`, or `10:20:30` to the second. */
export function formatClock(ms: number, to: "minute" | "second" = "minute"): string {
  const end = to === "minute" ? "2026-01-31T10:20".length : "2026-01-31T10:20:30".length;
  return new Date(ms).toISOString().slice("2026-01-31T".length, end);
}

/** A moment in the names of files and runs, to the second: `20260131T102030Z`. */
export function nameStamp(ms: number): string {
  return formatSecond(ms).replaceAll(/[-:]/g, "");
}

/** A moment in the names of deliveries, to the millisecond: `20260131T102030123Z`. */
export function formatIdStamp(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[^0-9TZ]/g, "");
}

/** An RFC 3339 time from units of 10^-digits seconds; undefined where no calendar date exists (infinity). */
export function formatUnitMoment(units: bigint, digits: number): string | undefined {
  const perSecond = perSecondOf[digits]!;
  const rest = ((units % perSecond) + perSecond) % perSecond;
  const date = new Date(Number((units - rest) / perSecond) * 1000);
  if (Number.isNaN(date.getTime())) return undefined;
  const seconds = date.toISOString().slice(0, -".000Z".length);
  if (rest === 0n) return `${seconds}Z`;
  return `${seconds}.${String(rest)
    .padStart(digits, "0")
    .replace(/(?<!0)0+$/, "")}Z`;
}

const perSecondOf = Array.from({ length: 10 }, (_, digits) => 10n ** BigInt(digits));

// Times as records have them. The load reads them in SQL (queries/load/macros.sql); this is the same for what the program
// has to know of a page before it is loaded. Tests compare the two.

const isoTime =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)? ?([Zz]|UTC|GMT|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?(?: [A-Z]{3,5}|\[[A-Za-z0-9_/+-]+\])?)?$/;
const rfcTime =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun), )?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) (gmt|utc|ut|z|[+-](?:[01]\d|2[0-3])[0-5]\d)$/i;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const latestMs = Date.UTC(2200, 0, 1);

/**
 * Milliseconds since the epoch of a time in a record: epoch seconds, milli-, micro- or nanoseconds, ISO 8601 or RFC 1123.
 * Undefined for anything else, and for what the load takes for no time of an event.
 */
export function readRecordedMs(text: string): number | undefined {
  const ms = parseEpochMs(text) ?? parseIsoMs(text) ?? parseRfcMs(text);
  return ms !== undefined && ms >= 0 && ms <= latestMs ? ms : undefined;
}

// By the digits before the point; what is below a millisecond is cut off.
function parseEpochMs(text: string): number | undefined {
  const [, whole, fraction = ""] =
    /^(0|[1-9]\d{0,18})(?:\.(\d+))?$/.exec(withoutExponent(text)) ?? [];
  if (whole === undefined) return undefined;
  if (whole.length <= 11) return Number(whole) * 1000 + Number(`${fraction}000`.slice(0, 3));
  if (whole.length <= 14) return Number(whole);
  return Number(whole.slice(0, whole.length <= 17 ? -3 : -6));
}

function withoutExponent(text: string): string {
  const [, first, more = "", power] = /^([1-9])(?:\.(\d+))?[eE]\+?([01]?\d)$/.exec(text) ?? [];
  if (first === undefined) return text;
  const places = Number(power);
  return `${first}${more.slice(0, places).padEnd(places, "0")}.${more.slice(places)}0`;
}

function parseIsoMs(text: string): number | undefined {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] =
    isoTime.exec(text) ?? [];
  if (year === undefined) return undefined;
  const millis = fraction.padEnd(3, "0").slice(0, 3);
  return toExistingMs({ year, month: month!, day: day!, hour, minute, second, millis, zone });
}

function parseRfcMs(text: string): number | undefined {
  const [, day, name, year, hour, minute, second, zone] = rfcTime.exec(text) ?? [];
  const number = months.indexOf(name?.toLowerCase() ?? "") + 1;
  if (number === 0 || hour === "24") return undefined;
  const [month, padded] = [String(number).padStart(2, "0"), day!.padStart(2, "0")];
  return toExistingMs({
    year: year!,
    month,
    day: padded,
    hour: hour!,
    minute: minute!,
    second: second!,
    millis: "000",
    zone: zone!,
  });
}

type Parts = Readonly<
  Record<"year" | "month" | "day" | "hour" | "minute" | "second" | "millis" | "zone", string>
>;

// Undefined for what no calendar has. The end of a day is the beginning of the next, and so is a leap second.
function toExistingMs({ second, zone, millis, ...parts }: Parts): number | undefined {
  const { year, month, day, hour, minute } = parts;
  const isLeap = second === "60";
  const isEnd = hour === "24" && Number(minute) + Number(second) + Number(millis) === 0;
  const at = isEnd ? "00:00:00" : `${hour}:${minute}:${isLeap ? "59" : second}`;
  const utc = `${year}-${month}-${day}T${at}.${millis}Z`;
  const ms = Date.parse(utc);
  // The parser moves 30 February to March; only what comes back unchanged exists.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== utc) return undefined;
  return ms + (isLeap ? 1000 : 0) + (isEnd ? 86_400_000 : 0) - parseOffsetMs(zone);
}

function parseOffsetMs(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.replace(":", "").slice(3, 5))];
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
