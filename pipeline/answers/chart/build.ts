import type { ChartForm } from "../../base/report/chart-form.ts";
import type { ColumnKind } from "../../base/rows/row.ts";
import { escapeControls } from "../../base/printable.ts";
import type { AxisChart, Heat, Ranking, Series } from "./chart.ts";
import { chooseNotes } from "./notes.ts";
import { choosePaints, writeCategory } from "./paints.ts";
import { sumSlot } from "./dots.ts";
import { isAlongAxis, listGreatest, mergeSeries, others, type Point } from "./points.ts";
import { placeAlong, type Places } from "./places.ts";
import { computeUsual } from "./usual.ts";

export type ChartFacts = {
  readonly label: string;
  /** Whether a day is known in part only. */
  readonly isPartDay?: (x: string) => boolean;
  /** The last day of the range that has data, `2026-11-27`: days without rows up to it are 0. */
  readonly lastDay?: string;
  /** The domain that most people have: their addresses are shown without it. */
  readonly domain?: string | undefined;
  /** Where a mark leads to, by its value of x. */
  readonly getHref?: (x: string) => string | undefined;
};

export type Drawable =
  | {
      readonly type: "bars" | "dots" | "line";
      readonly chart: AxisChart & { readonly scale?: "log" };
    }
  | { readonly type: "heat"; readonly chart: Heat }
  | { readonly type: "ranking"; readonly chart: Ranking; readonly names: number };

/** Builds the chart that a report declares of its points; `kind` is the type of the x axis. */
export function buildChart(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  facts: ChartFacts,
): Drawable {
  if (form.kind === "heat") return { type: "heat", chart: buildHeat(form, kind, points, facts) };
  if (isAlongAxis(form, kind))
    return { type: form.kind, chart: buildAxisChart(form, kind, points, facts) };
  const names = new Set(points.map(({ x }) => x)).size;
  return { type: "ranking", chart: buildRanking(form, points, facts), names };
}

function buildAxisChart(
  form: ChartForm,
  kind: ColumnKind,
  all: readonly Point[],
  { label, isPartDay = () => false, lastDay, getHref }: ChartFacts,
): AxisChart {
  const places = placeAlong(form, kind, all, lastDay);
  const slots = places.slots.map((slot, i) => {
    const href = getHref?.(places.xs[i]!);
    return { ...slot, isPart: isPartDay(places.xs[i]!), ...(href !== undefined && { href }) };
  });
  const series = listSeries(form, all, places);
  const daily = slots.map(({ isPart }, i) => (isPart ? null : sumSlot(series, i)));
  const usual =
    form.usual === "weekday" && places.areDays
      ? { usual: slots.map((_, i) => computeUsual(daily, i)) }
      : {};
  const { unit, scale } = form;
  const chart = { label, slots, series, ...usual, ...(unit && { unit }), ...(scale && { scale }) };
  return { ...chart, notes: chooseNotes(chart) };
}

// Without a row, counted amounts are 0 and others unknown.
function listSeries(form: ChartForm, all: readonly Point[], { xs }: Pick<Places, "xs">): Series[] {
  const { points, series: names } = mergeSeries(all);
  const isCounted = form.kind === "bars" || form.unit !== undefined || form.y === "rows";
  const slots = new Map(xs.map((x, i) => [x, i]));
  const paints = choosePaints(names);
  const own = names.length === 0 ? [null] : names;
  return own.map((name, i) => {
    const values: (number | null)[] = xs.map(() => (isCounted ? 0 : null));
    for (const { x, y, series } of points) {
      const slot = slots.get(x);
      if (series === name && slot !== undefined) values[slot] = y;
    }
    const words = name === null ? form.y.replaceAll("_", " ") : writeCategory(name);
    const isOne = name !== null && name !== others;
    const paint = name === null ? "c1" : paints[i]!;
    return { name: words, ...(isOne && { value: name }), paint, values };
  });
}

// The greatest first.
function buildRanking(
  form: ChartForm,
  points: readonly Point[],
  { label, domain, getHref }: ChartFacts,
): Ranking {
  const xs = listGreatest(points);
  const names = xs.map((x) => {
    const href = getHref?.(x);
    const isUsual = domain !== undefined && x.endsWith(`@${domain}`);
    const name = escapeControls(isUsual ? x.slice(0, -domain.length - 1) : x);
    return { name, ...(href !== undefined && { href }) };
  });
  const shown = new Set(xs);
  const series = listSeries(
    { ...form, kind: "bars" },
    points.filter(({ x }) => shown.has(x)),
    { xs },
  );
  const { unit, scale } = form;
  return { label, names, series, ...(unit && { unit }), ...(scale && { scale }) };
}

function buildHeat(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  { label, lastDay, getHref }: ChartFacts,
): Heat {
  const { xs, slots } = placeAlong(form, kind, points, lastDay);
  const rows = [...new Set(points.map(({ series }) => series ?? ""))];
  const amounts = new Map(points.map(({ x, series, y }) => [JSON.stringify([x, series ?? ""]), y]));
  const cells = rows.map((row) => xs.map((x) => amounts.get(JSON.stringify([x, row])) ?? null));
  return {
    label,
    columns: slots.map(({ name }) => name),
    rows: rows.map(writeCategory),
    cells,
    every: Math.ceil(xs.length / 8),
    ...(form.unit && { unit: form.unit }),
    ...(getHref && { getHref: (_: number, column: number) => getHref(xs[column]!) }),
  };
}
