// A moment is a number of milliseconds wherever it is reckoned with; these are its texts at the edges.

/** DuckDB's form of a moment, in UTC: `2026-01-31 10:20:30.000`. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace("Z", "");
}

/** Milliseconds of a moment or a date in DuckDB's form, what is below them cut off; NaN where it is none. */
export function fromTimestamp(stored: string): number {
  return Date.parse(stored.length > dateLength ? `${stored.replace(" ", "T")}Z` : stored);
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
