import { html, type Markup } from "../../../base/html/markup.ts";
import type { ChartForm } from "../../../base/report/chart-form.ts";
import type { Rows } from "../../../base/rows/row.ts";
import { buildChart, type ChartFacts, type Drawable } from "../../chart/build.ts";
import { drawChart, drawChartLegend } from "../../chart/draw-chart.ts";
import { drawPanels } from "../../chart/panels.ts";
import type { Point } from "../../chart/points.ts";
import type { About } from "../result.ts";

export type FigureOptions = {
  /** Where a mark leads to, by its value of x. */
  readonly getHref?: NonNullable<ChartFacts["getHref"]>;
  readonly domain?: ChartFacts["domain"];
  /** Whether a stack of more than three kinds is drawn side by side as well, or that alone. */
  readonly panels?: "below" | "alone";
};

/** Builds the chart of a report; undefined where it has none, too many values or a single mark. */
export function buildFigure(
  about: About,
  columns: Rows["columns"],
  points: readonly Point[] | undefined,
  { domain, getHref }: FigureOptions,
): Drawable | undefined {
  const { title, chart } = about;
  if (chart === undefined || points === undefined || points.length < 2) return undefined;
  const kind = columns.find(({ name }) => name === chart.x)?.kind ?? "text";
  const label = `${title}: ${chart.y} by ${chart.x}`.replaceAll("_", " ");
  return buildChart(chart, kind, points, { label, ...about, domain, ...(getHref && { getHref }) });
}

/** The chart of a report with its legend and notes; nothing where it has one mark, a sentence where it has too many. */
export function drawFigure(
  about: About,
  columns: Rows["columns"],
  points: readonly Point[] | undefined,
  options: FigureOptions,
): Markup | undefined {
  const { chart } = about;
  if (chart === undefined) return undefined;
  if (points === undefined)
    return html`<p class="small muted">No chart: there are too many values of ${chart.x}.</p>`;
  const drawable = buildFigure(about, columns, points, options);
  const { panels } = options;
  if (drawable === undefined) return undefined;
  const drawn =
    panels !== undefined && drawable.type === "bars" ? drawPanels(drawable.chart) : undefined;
  if (panels === "alone" && drawn !== undefined)
    return html`<figure class="chart">
      ${drawn}
      <figcaption class="small muted">
        ${["Each kind has its own scale", ...listSigns(drawable)].join(" · ")}
      </figcaption>
    </figure>`;
  const notes = writeNotes(chart, drawable).join(" · ");
  return html`<figure class="chart">
    ${drawChartLegend(drawable)} ${drawChart(drawable)}
    <figcaption class="small muted">${notes}</figcaption>
    ${drawn}
  </figure>`;
}

/** Writes the lines below a chart: its axes and signs. */
export function writeNotes({ x, y, stack }: ChartForm, drawable: Drawable): string[] {
  const by = stack === undefined ? "" : ` and ${stack}`;
  const axes = `${y} by ${x}${by}`.replaceAll("_", " ");
  return [`${axes.slice(0, 1).toUpperCase()}${axes.slice(1)}`, ...listSigns(drawable)];
}

function listSigns(drawable: Drawable): string[] {
  if (drawable.type === "heat") return [];
  if (drawable.type === "ranking") {
    const { names, chart } = drawable;
    return names > chart.names.length ? [`largest ${chart.names.length} of ${names}`] : [];
  }
  const { slots, usual = [] } = drawable.chart;
  const signs: (readonly [boolean, string])[] = [
    [
      usual.some((each) => each !== null),
      "Dashed line: median of the same weekday, up to four weeks before",
    ],
    [slots.some(({ isWeekend }) => isWeekend === true), "Shaded: weekend"],
    [slots.some(({ isPart }) => isPart === true), "Hatched: part of a day"],
  ];
  return signs.flatMap(([isShown, text]) => (isShown ? [text] : []));
}
