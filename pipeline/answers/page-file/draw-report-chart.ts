import type { Markup } from "../../base/html/markup.ts";
import type { ChartForm } from "../../base/report/chart-form.ts";
import type { ColumnKind } from "../../base/rows/row.ts";
import { drawBars } from "../chart/bars.ts";
import type { Paint, Series, Slot } from "../chart/chart.ts";
import { drawDots } from "../chart/dots.ts";
import { drawHeat } from "../chart/heat.ts";
import { drawLegend } from "../chart/legend.ts";
import { drawLine } from "../chart/line.ts";
import { drawRanking } from "../chart/ranking.ts";
import { listDays, listSlots } from "../chart/slots.ts";
import {
  computeUsual,
  isAlongAxis,
  listGreatest,
  mergeSeries,
  type Point,
} from "../chart/points.ts";
import type { About } from "../report/result.ts";

type ReportChart = {
  readonly form: ChartForm;
  /** Of the x axis. */
  readonly kind: ColumnKind;
  readonly points: readonly Point[];
  readonly title: string;
  readonly about: Pick<About, "isPartDay">;
};

const paints: readonly Paint[] = ["c1", "c2", "c3", "c5", "c4", "c6"];
const meanings: Readonly<Record<string, Paint>> = {
  succeeded: "ok",
  failed: "fail",
  "failed or killed": "fail",
  denied: "deny",
};

/** Draws the points of a report's chart, with the legend for the head of its card. */
export function drawReportChart(chart: ReportChart): { picture: Markup; legend: Markup | null } {
  const { form, kind, title } = chart;
  if (form.kind === "heat") return { picture: drawHeat(buildHeat(chart)), legend: null };
  const { points, series } = mergeSeries(chart.points);
  const names = series.length === 0 ? [null] : series;
  if (!isAlongAxis(form, kind)) {
    const greatest = listGreatest(points);
    const all = buildSeries(names, greatest, points, form);
    return {
      picture: drawRanking({
        label: title,
        names: greatest.map((name) => ({ name })),
        series: all,
        ...(form.unit && { unit: form.unit }),
        ...(form.scale && { scale: form.scale }),
      }),
      legend: series.length > 1 ? drawLegend(all, form.unit) : null,
    };
  }
  const slots = listAxisSlots(chart, points);
  const places = slots.map(({ x }) => x);
  const all = buildSeries(names, places, points, form);
  const usual = form.usual === undefined ? undefined : placeUsual(chart, places, points);
  const drawn = {
    label: title,
    slots: slots.map(({ slot }) => slot),
    series: all,
    ...(usual && { usual }),
    ...(form.unit && { unit: form.unit }),
    ...(form.scale && { scale: form.scale }),
  };
  const draw = { bars: drawBars, dots: drawDots, line: drawLine }[form.kind];
  return { picture: draw(drawn), legend: series.length > 1 ? drawLegend(all, form.unit) : null };
}

function listAxisSlots(
  { kind, about: { isPartDay = () => false } }: ReportChart,
  points: readonly Point[],
): { x: string; slot: Slot }[] {
  const known = [...new Set(points.map(({ x }) => x))].toSorted();
  if (kind !== "time" || known.length === 0)
    return known.map((x) => ({ x, slot: { name: x, label: x } }));
  const areDays = known.every((x) => x.length === "2026-01-31".length);
  const places = areDays ? listDays(known[0]!, known.at(-1)!) : known;
  const slots = listSlots(places, (i) => ({
    isPart: isPartDay(places[i]!),
    ...(areDays && { href: `/events?since=${places[i]}&until=${places[i]}T23:59:59.999Z` }),
  }));
  return places.map((x, i) => ({ x, slot: slots[i]! }));
}

function buildSeries(
  names: readonly (string | null)[],
  places: readonly string[],
  points: readonly Point[],
  form: ChartForm,
): Series[] {
  const sums = new Map(points.map(({ x, series, y }) => [JSON.stringify([x, series]), y]));
  return names.map((name, i) => ({
    name: (name ?? form.y).replaceAll("_", " "),
    paint: meanings[name ?? ""] ?? paints[i % paints.length]!,
    values: places.map((x) => sums.get(JSON.stringify([x, name])) ?? 0),
  }));
}

function placeUsual(
  { about: { isPartDay = () => false } }: ReportChart,
  places: readonly string[],
  points: readonly Point[],
): (number | null)[] {
  const whole = points.filter(({ x }) => !isPartDay(x));
  const usual = new Map(computeUsual(whole).map((each) => [each.x, each.usual]));
  return places.map((x) => usual.get(x) ?? null);
}

function buildHeat({ form, points, title }: ReportChart): Parameters<typeof drawHeat>[0] {
  const columns = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => Number(a) - Number(b));
  const rows = [...new Set(points.map(({ series }) => series ?? ""))];
  const amounts = new Map(points.map(({ x, series, y }) => [JSON.stringify([x, series ?? ""]), y]));
  return {
    label: title,
    columns: columns.map((x) => (/^\d{1,2}$/.test(x) ? `${x.padStart(2, "0")}:00` : x)),
    rows,
    cells: rows.map((row) => columns.map((x) => amounts.get(JSON.stringify([x, row])) ?? null)),
    every: 6,
    ...(form.unit && { unit: form.unit }),
  };
}
