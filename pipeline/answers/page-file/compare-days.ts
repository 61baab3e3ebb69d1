import { formatDay } from "../../base/time/text.ts";

export type DayAmounts = {
  /** `2026-01-31`. */
  readonly days: readonly string[];
  readonly amounts: readonly number[];
};

/** How a day compares with the same weekdays before it, or a week with the weeks before. */
export type Comparison = {
  readonly value: number;
  /** Lowest and highest of what it is compared with; undefined where fewer than two are known. */
  readonly range: { readonly low: number; readonly high: number } | undefined;
  readonly verdict: "above" | "below" | "usual" | undefined;
  /** The amounts of the earlier days or weeks that are known. */
  readonly earlier: readonly number[];
};

const dayMs = 86_400_000;
const weeksOfDay = 4;
const weeksOfWeek = 3;
const leastKnown = 2;

/** Compares the amount of a day with those of the same weekday in the four weeks before. Only whole days count. */
export function compareDay(
  { days, amounts }: DayAmounts,
  day: string,
  isWhole: (day: string) => boolean,
): Comparison {
  const byDay = new Map(days.map((each, i) => [each, amounts[i]!]));
  const before = Array.from({ length: weeksOfDay }, (_, i) => moveDay(day, -7 * (i + 1)));
  const known = before.filter((each) => byDay.has(each) && isWhole(each));
  return compare(
    byDay.get(day) ?? 0,
    known.map((each) => byDay.get(each)!),
  );
}

/** Compares the sum of the seven days up to a day with the sums of the three weeks before. Only whole weeks count. */
export function compareWeek(
  { days, amounts }: DayAmounts,
  day: string,
  isWhole: (day: string) => boolean,
): Comparison {
  const byDay = new Map(days.map((each, i) => [each, amounts[i]!]));
  const listWeek = (weeks: number): string[] =>
    Array.from({ length: 7 }, (_, i) => moveDay(day, -7 * weeks - i));
  const sumWeek = (week: readonly string[]): number =>
    week.reduce((sum, each) => sum + (byDay.get(each) ?? 0), 0);
  const before = Array.from({ length: weeksOfWeek }, (_, i) => listWeek(i + 1));
  const known = before.filter((week) => week.every((each) => byDay.has(each) && isWhole(each)));
  return compare(sumWeek(listWeek(0)), known.map(sumWeek));
}

function compare(value: number, earlier: readonly number[]): Comparison {
  if (earlier.length < leastKnown) return { value, range: undefined, verdict: undefined, earlier };
  const range = { low: Math.min(...earlier), high: Math.max(...earlier) };
  const verdict = value > range.high ? "above" : value < range.low ? "below" : "usual";
  return { value, range, verdict, earlier };
}

/** A day so many days later. */
export function moveDay(day: string, days: number): string {
  return formatDay(Date.parse(day) + days * dayMs);
}
