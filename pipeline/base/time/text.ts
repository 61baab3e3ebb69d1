import { AuditlakeError } from "../errors.ts";
import { isStorable } from "./bounds.ts";

// A moment is a number of milliseconds wherever it is reckoned with; these are its texts at the edges.

/**
 * DuckDB's form of a moment, in UTC: `2026-01-31 10:20:30.000`. Throws AuditlakeError for a moment whose text it could
 * not read back.
 */
export function toTimestamp(ms: number): string {
  if (!isStorable({ startMs: ms, endMs: ms }))
    throw new AuditlakeError(
      `found a moment ${ms} milliseconds from 1970, expected one of the years 0 to 9999; check the clock of this machine`,
    );
  return spacedText(new Date(ms).toISOString());
}

/** A moment of RFC 3339 in UTC as the database and tables for people have it: without its letters. */
export function spacedText(moment: string): string {
  return moment.replace("T", " ").replace(/Z$/, "");
}

/** Milliseconds of a moment or a date in DuckDB's form, what is below them cut off; NaN where it is none. */
export function fromTimestamp(stored: string): number {
  return parseSpaced(stored.length > dateLength ? `${stored}Z` : stored);
}

/** Milliseconds of a date or moment with a blank or a T between day and time; NaN where it is none. */
export function parseSpaced(moment: string): number {
  return Date.parse(moment.replace(" ", "T"));
}

/** A moment, RFC 3339, without milliseconds where it has none: `2026-01-31T10:20:30Z`. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** A moment to the second, RFC 3339: `2026-01-31T10:20:30Z`. */
export function secondText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** The same of a moment as it is stored: `2026-01-31 10:20:30.000`. */
export function stampText(stored: string): string {
  return `${stored.replace(" ", "T").replace(/\.\d+$/, "")}Z`;
}

const dateLength = "2026-01-31".length;

/** The day of a moment in UTC: `2026-01-31`. */
export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, dateLength);
}

/** A moment in the names of files and runs, to the second: `20260131T102030Z`. */
export function nameStamp(ms: number): string {
  return secondText(ms).replaceAll(/[-:]/g, "");
}

/** A moment in the names of deliveries, to the millisecond: `20260131T102030123Z`. */
export function idStamp(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[^0-9TZ]/g, "");
}

/** An RFC 3339 time from units of 10^-digits seconds; undefined where no calendar date exists (infinity). */
export function momentText(units: bigint, digits: number): string | undefined {
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
