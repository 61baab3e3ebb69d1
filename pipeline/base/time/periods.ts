const dayMs = 86_400_000;

const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/**
 * A day, week (from Monday), month or year of the calendar, in UTC. It is written `2026-10`, `2026-10-31`, `today`,
 * `yesterday`, `last month`, `this week`, or as a weekday for the last one before today. Undefined for any other text.
 */
export function parsePeriodWords(text: string, nowMs: number): Interval | undefined {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  if (text === "today") return newDays(today, 1);
  if (text === "yesterday") return newDays(today - dayMs, 1);
  return parseWrittenPeriod(text) ?? findLastWeekday(text, today) ?? parseNamedPeriod(text, today);
}

function parseWrittenPeriod(text: string): Interval | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const startMs = Date.parse(`${year}-${month}-${day ?? "01"}T00:00:00Z`);
  // The parser moves 30 February to March.
  if (Number.isNaN(startMs) || !new Date(startMs).toISOString().startsWith(text)) return undefined;
  return day === undefined ? { startMs, endMs: addMonths(startMs, 1) } : newDays(startMs, 1);
}

function findLastWeekday(text: string, today: number): Interval | undefined {
  const wanted = weekdays.indexOf(text.replace(/^last[ -]/, ""));
  if (wanted < 0) return undefined;
  return newDays(today - (((getWeekday(today) - wanted + 6) % 7) + 1) * dayMs, 1);
}

function parseNamedPeriod(text: string, today: number): Interval | undefined {
  const [, days] = /^last[ -]([1-9]\d{0,3})[ -]days$/.exec(text) ?? [];
  if (days !== undefined) return newDays(today - Number(days) * dayMs, Number(days));
  const [, which, unit] = /^(this|last)[ -](week|month|year)$/.exec(text) ?? [];
  if (unit === undefined) return undefined;
  const back = which === "last" ? 1 : 0;
  if (unit === "week") return newDays(today - (getWeekday(today) + 7 * back) * dayMs, 7);
  const date = new Date(today);
  const month = unit === "month" ? date.getUTCMonth() : 0;
  const thisStart = Date.UTC(date.getUTCFullYear(), month);
  const length = unit === "month" ? 1 : 12;
  const startMs = addMonths(thisStart, -length * back);
  return { startMs, endMs: addMonths(startMs, length) };
}

// 0 is Monday; 1 January 1970 was a Thursday.
function getWeekday(startMs: number): number {
  return (((startMs / dayMs + 3) % 7) + 7) % 7;
}

function newDays(startMs: number, count: number): Interval {
  return { startMs, endMs: startMs + count * dayMs };
}

function addMonths(startMs: number, count: number): number {
  const date = new Date(startMs);
  date.setUTCMonth(date.getUTCMonth() + count);
  return date.getTime();
}

/** The first moment that is taken, milliseconds since the epoch. */
export const earliestMs = Date.parse("0000-01-01T00:00:00Z");

/** The last one: the text of a later moment has five digits for its year and a sign, which the database refuses. */
export const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/** Whether an interval can be stored, both its ends included. */
export function isStorable({ startMs, endMs }: Interval): boolean {
  return startMs >= earliestMs && endMs <= latestMs;
}

/** A half-open interval of time, milliseconds since the epoch. */
export type Interval = { readonly startMs: number; readonly endMs: number };
