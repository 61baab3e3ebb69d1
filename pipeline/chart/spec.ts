import { printable } from "../printable.ts";
import type { ColumnKind } from "../rows/row.ts";
import { type ChartForm, greatest, isAlongAxis, type Point } from "./points.ts";

/** A chart as Vega-Lite takes it. Vega-Lite's own type is not used: it is so wide that it checks little, and slowly. */
export type ChartSpec = Readonly<Record<string, unknown>>;

/** The colours of a chart. Within a page, text takes the colour of the page; a single picture has a background. */
export type ChartTheme = {
  readonly ink: string;
  readonly mark: string;
  readonly ground: string | null;
};

/** Within a page, which may be light or dark: the marks stand out from both. */
export const pageTheme: ChartTheme = { ink: "currentColor", mark: "#2f7fe0", ground: null };

/** A picture by itself. */
export const pictureTheme: ChartTheme = { ink: "#1b1f24", mark: "#1f5fbf", ground: "#ffffff" };

const width = 720;
const lineHeight = 220;
const barStep = 22;

/** The kinds of charts that reports may declare. */
export const chartKinds: readonly string[] = ["line", "bar"];

/** A chart of some points; `kind` says what stands on the x axis. */
export function chartSpec(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  theme: ChartTheme,
): ChartSpec {
  const common = { background: theme.ground ?? "transparent", width, config: configOf(theme) };
  if (isAlongAxis(form, kind))
    return { ...common, height: lineHeight, ...alongAxis(form, kind, points, theme) };
  return { ...common, height: { step: barStep }, ...ranked(form, points, theme) };
}

// Moments and numbers keep their order.
function alongAxis(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  { mark }: ChartTheme,
): ChartSpec {
  const isTime = kind === "time";
  const values = points.map(({ x, y }) => ({ x: kind === "number" ? Number(x) : x, y }));
  const x = isTime
    ? { field: "x", type: "temporal", scale: { type: "utc" }, axis: { title: null } }
    : { field: "x", type: "ordinal", axis: { title: titleOf(form.x), labelAngle: 0 } };
  return {
    data: { values },
    mark:
      form.kind === "line"
        ? { type: "line", aria: false, color: mark, strokeWidth: 2, point: dot(mark) }
        : bar(mark),
    encoding: { x, y: amountOf(form.y, points) },
  };
}

// Names stand beside their bars, the greatest first.
function ranked(form: ChartForm, points: readonly Point[], { mark }: ChartTheme): ChartSpec {
  const values = greatest(points).map(({ x, y }) => ({ x: printable(x), y }));
  return {
    data: { values },
    mark: bar(mark),
    encoding: {
      y: { field: "x", type: "nominal", sort: null, axis: { title: null, labelLimit: 260 } },
      x: amountOf(form.y, points),
    },
  };
}

// The picture has one label for screen readers, which else would read out every mark and say nothing.
function bar(color: string): object {
  return { type: "bar", aria: false, color };
}

function dot(color: string): object {
  return { aria: false, color, size: 30 };
}

function amountOf(name: string, points: readonly Point[]): object {
  const isGreat = points.some(({ y }) => y >= 1e6);
  return {
    field: "y",
    type: "quantitative",
    axis: { title: titleOf(name), tickCount: 5, format: isGreat ? "~s" : ",.0f" },
  };
}

function titleOf(name: string): string {
  return name.replaceAll("_", " ");
}

function configOf({ ink }: ChartTheme): object {
  return {
    aria: false,
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: {
      labelColor: ink,
      titleColor: ink,
      titleFontWeight: "normal",
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
