import type { ChartForm } from "../../base/report/chart-form.ts";
import { escapeControls } from "../../base/printable.ts";
import type { ColumnKind } from "../../base/rows/row.ts";
import { fromTimestamp } from "../../base/time/text.ts";
import type { Slot } from "./chart.ts";
import { maxMarks, type Point } from "./points.ts";
import { listDays, listSlots } from "./slots.ts";

/** The values of the x axis in order, with the slots that they have. */
export type Places = {
  readonly xs: readonly string[];
  readonly slots: readonly Slot[];
  /** Whether each slot is a day, and the next one the next day. */
  readonly areDays: boolean;
};

/** Places points along an axis: every day between the first and the last, every hour of a day, every number. */
export function placeAlong(
  { x }: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  lastDay?: string,
): Places {
  const xs = [...new Set(points.map((point) => point.x))];
  if (kind === "time") return placeTimes(xs, lastDay);
  if (kind === "number") return placeNumbers(xs, /(?:^|_)hour(?:_|$)/.test(x));
  return placeNames(xs);
}

const day = /^\d{4}-\d{2}-\d{2}$/;

function placeTimes(xs: readonly string[], lastDay = ""): Places {
  const known = xs.filter((x) => Number.isFinite(fromTimestamp(x)));
  const sorted = known.toSorted((a, b) => fromTimestamp(a) - fromTimestamp(b));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return placeNames(xs);
  if (!sorted.every((x) => day.test(x)) || isWeeklyOrLess(sorted))
    return { xs: sorted, slots: listSlots(sorted), areDays: false };
  const days = listDays(first, lastDay > last ? lastDay : last);
  // Days far apart, such as first uses, would leave no width for a bar.
  if (days.length > maxMarks) return { xs: sorted, slots: listSlots(sorted), areDays: false };
  return { xs: days, slots: listSlots(days), areDays: true };
}

const fewestWeeks = 4;

// A report that counts by week or month has no days between.
function isWeeklyOrLess(sorted: readonly string[]): boolean {
  const days = sorted.map((x) => fromTimestamp(x) / 86_400_000);
  const areWeeks = days.every((each) => (each - days[0]!) % 7 === 0);
  const areMonths = sorted.every((x) => x.endsWith("-01"));
  return days.length >= fewestWeeks && (areWeeks || areMonths);
}

const mostBetween = 400;

function placeNumbers(xs: readonly string[], areHours: boolean): Places {
  const numbers = xs
    .map(Number)
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
  const ends = [...(areHours ? [0, 23] : []), ...numbers.slice(0, 1), ...numbers.slice(-1)];
  const [first, last] = ends.length === 0 ? [0, -1] : [Math.min(...ends), Math.max(...ends)];
  const areWhole = numbers.every(Number.isInteger) && last - first < mostBetween;
  const places = areWhole ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : numbers;
  // Values that are not numbers, such as an unknown hour, come last.
  const written = new Map(xs.map((x) => [Number(x), x]));
  const others = xs.filter((x) => !Number.isFinite(Number(x)));
  const own = [...places.map((place) => written.get(place) ?? String(place)), ...others];
  const format = (x: string): string =>
    areHours && /^\d+$/.test(x) ? `${x.padStart(2, "0")}:00` : x;
  return placeNames(own, format);
}

const mostLabels = 12;

function placeNames(xs: readonly string[], format = (x: string): string => x): Places {
  const every = Math.ceil(xs.length / mostLabels);
  const slots = xs.map((x, i): Slot => {
    const name = escapeControls(format(x));
    const label = i % every === 0 ? { label: name, isMinor: (i / every) % 2 === 1 } : {};
    return { name, ...label };
  });
  return { xs, slots, areDays: false };
}
