import { escapeControls } from "../../base/printable.ts";
import type { ColumnKind } from "../../base/rows/row.ts";
import type { ChartForm } from "../../base/report/chart-form.ts";
import { mergeSeries, listGreatest, isAlongAxis, type Point, computeUsual } from "./points.ts";
import type { TopLevelSpec } from "vega-lite";
import { AuditlakeError, getMessage } from "../../base/errors.ts";

/** A chart as Vega-Lite takes it. Vega-Lite's own type is not used: it is so wide that it checks little, and slowly. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** The colours of a chart. Within a page, text takes the colour of the page; a single picture has a background. */
export type ChartTheme = {
  readonly ink: string;
  readonly marks: readonly string[];
  readonly ground: string | null;
};

// One for each series, the largest first; visible on light and dark pages.
const marks = ["#2f7fe0", "#c04f9d", "#0b948a", "#8a63d2", "#6a9428", "#7b8798"];

/** Within a page, which may be light or dark. */
export const pageTheme: ChartTheme = { ink: "currentColor", marks, ground: null };

/** A picture by itself. */
export const pictureTheme: ChartTheme = { ink: "#1b1f24", marks, ground: "#ffffff" };

const width = 720;
const lineHeight = 220;
const barStep = 22;

type Drawing = {
  readonly form: ChartForm;
  readonly points: readonly Point[];
  readonly series: readonly string[];
  readonly theme: ChartTheme;
};

/** Builds a chart of points; `kind` is the type of the x axis. */
export function buildChartSpec(
  form: ChartForm,
  kind: ColumnKind,
  all: readonly Point[],
  theme: ChartTheme,
): ChartSpec {
  const common = { background: theme.ground ?? "transparent", width, config: buildConfig(theme) };
  if (form.kind === "heat")
    return { ...common, height: { step: barStep }, ...buildHeatMap(form, kind, all, theme) };
  // A logarithmic scale has no zero.
  const shown = form.scale === "log" ? all.filter(({ y }) => y > 0) : all;
  const drawing = { form, theme, ...mergeSeries(shown) };
  if (isAlongAxis(form, kind))
    return { ...common, height: lineHeight, ...buildAxisChart(drawing, kind) };
  return { ...common, height: { step: barStep }, ...buildRankedChart(drawing) };
}

// Moments and numbers keep their order.
function buildAxisChart({ form, points, series, theme }: Drawing, kind: ColumnKind): ChartSpec {
  const x = buildXAxis(form, kind, points);
  const main = {
    data: { values: listValues(points, series, kind) },
    mark: chooseMark(form, theme, series),
    encoding: { x, y: buildAmountAxis(form, points), ...chooseColor(series, theme) },
  };
  if (form.usual === undefined || kind !== "time") return main;
  const usual = {
    data: { values: computeUsual(points).map(({ x: at, usual: y }) => ({ x: at, y })) },
    mark: { type: "tick", aria: false, color: theme.ink, thickness: 1.5, opacity: 0.7 },
    encoding: { x, y: { field: "y", type: "quantitative" } },
  };
  return { layer: [main, usual] };
}

// Names are beside their bars, the greatest first.
function buildRankedChart({ form, points, series, theme }: Drawing): ChartSpec {
  const names = listGreatest(points);
  const shown = names.flatMap((name) => points.filter(({ x }) => x === name));
  const values = listValues(shown, series, "text").map(({ x, ...rest }) => ({
    x: escapeControls(String(x)),
    ...rest,
  }));
  return {
    data: { values },
    mark: chooseMark(form, theme, series),
    encoding: {
      y: {
        field: "x",
        type: "nominal",
        sort: names.map(escapeControls),
        axis: { title: null, labelLimit: 260 },
      },
      x: buildAmountAxis(form, points),
      ...chooseColor(series, theme),
    },
  };
}

// Each cell is as dark as its amount; the rows are what the chart is stacked by.
function buildHeatMap(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  { marks: [mark] }: ChartTheme,
): ChartSpec {
  const values = points.map(({ x, series, y }) => ({ x, series: escapeControls(series ?? ""), y }));
  const type = kind === "number" ? { sort: sortNumbers(points) } : {};
  return {
    data: { values },
    mark: { type: "rect", aria: false },
    encoding: {
      x: {
        field: "x",
        type: "ordinal",
        ...type,
        axis: { title: formatTitle(form.x), labelAngle: 0 },
      },
      y: { field: "series", type: "ordinal", axis: { title: formatTitle(form.stack ?? "") } },
      color: {
        field: "y",
        type: "quantitative",
        scale: { range: ["#dce8fa", mark], domainMin: 0 },
        legend: { title: formatTitle(form.y) },
      },
    },
  };
}

function sortNumbers(points: readonly Point[]): string[] {
  return [...new Set(points.map(({ x }) => x))].toSorted((a, b) => Number(a) - Number(b));
}

function buildXAxis(form: ChartForm, kind: ColumnKind, points: readonly Point[]): object {
  if (kind !== "time")
    return { field: "x", type: "ordinal", axis: { title: formatTitle(form.x), labelAngle: 0 } };
  const areDays = points.every(({ x }) => x.length === 10);
  const step = form.kind === "bars" && areDays ? { timeUnit: "utcyearmonthdate" } : {};
  return { field: "x", type: "temporal", ...step, scale: { type: "utc" }, axis: { title: null } };
}

type Value = { readonly x: string | number; readonly y: number; readonly series?: string };

function listValues(
  points: readonly Point[],
  series: readonly string[],
  kind: ColumnKind,
): (Value & { readonly rank?: number })[] {
  return points.map(({ x, y, series: own }) => ({
    x: kind === "number" ? Number(x) : x,
    y,
    ...(own === null ? {} : { series: escapeControls(own), rank: series.indexOf(own) }),
  }));
}

// The picture has one label for screen readers, which else would read out every mark and say nothing.
function chooseMark(
  { kind }: ChartForm,
  { marks: [color] }: ChartTheme,
  series: readonly string[],
): object {
  const own = series.length === 0 ? { color } : {};
  if (kind === "line")
    return {
      type: "line",
      aria: false,
      ...own,
      strokeWidth: 2,
      point: { aria: false, ...own, size: 30 },
    };
  if (kind === "dots")
    return { type: "point", aria: false, ...own, filled: true, size: 50, opacity: 1 };
  return { type: "bar", aria: false, ...own };
}

// The largest lies at the bottom.
function chooseColor(series: readonly string[], { marks: range }: ChartTheme): object {
  if (series.length === 0) return {};
  const domain = series.map(escapeControls);
  return {
    color: {
      field: "series",
      type: "nominal",
      sort: domain,
      scale: { domain, range: range.slice(0, domain.length) },
      legend: { title: null, orient: "top", columns: 3, labelLimit: 220 },
    },
    order: { field: "rank", type: "quantitative" },
  };
}

function buildAmountAxis({ y, unit, scale }: ChartForm, points: readonly Point[]): object {
  const isGreat = points.some((point) => point.y >= 1e6);
  const format = isGreat || unit === "bytes" ? "~s" : ",.0f";
  const suffix = unit === "bytes" ? "B" : unit === "seconds" ? " s" : undefined;
  const label = suffix && { labelExpr: `format(datum.value, '${format}') + '${suffix}'` };
  return {
    field: "y",
    type: "quantitative",
    ...(scale && { scale: { type: "log" } }),
    axis: { title: formatTitle(y), tickCount: 5, format, ...label },
  };
}

function formatTitle(name: string): string {
  return name.replaceAll("_", " ");
}

function buildConfig({ ink }: ChartTheme): object {
  const text = { labelColor: ink, titleColor: ink, titleFontWeight: "normal" };
  return {
    aria: false,
    font: "system-ui, sans-serif",
    view: { stroke: null },
    legend: { ...text, labelFontSize: 12, titleFontSize: 12 },
    axis: {
      ...text,
      gridColor: ink,
      gridOpacity: 0.15,
      domainColor: ink,
      domainOpacity: 0.5,
      tickColor: ink,
      tickOpacity: 0.5,
      labelFontSize: 12,
      titleFontSize: 12,
    },
  };
}

/**
 * Draws a chart as SVG, without a browser; `label` describes it to people who do not see it. Throws AuditlakeError if
 * the library cannot draw it.
 */
export async function drawSvg(spec: ChartSpec, label: string): Promise<string> {
  // The library is loaded only to draw, since that takes as long as most queries do.
  const [vega, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  try {
    // Warnings of the library mean nothing to the person who asked for a chart.
    const logger = vega.logger(vega.None);
    const parsed = vega.parse(compile(spec as unknown as TopLevelSpec, { logger }).spec);
    const svg = await new vega.View(parsed, { renderer: "none", logLevel: vega.None }).toSVG();
    return svg.replace("<svg ", `<svg role="img" aria-label="${escapeAttribute(label)}" `);
  } catch (error) {
    throw new AuditlakeError(`the chart cannot be drawn: ${getMessage(error)}`);
  }
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
