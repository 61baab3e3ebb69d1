import type { ChartForm } from "../../../base/report/chart-form.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import type { Rows } from "../../../base/rows/row.ts";
import { buildChart, type ChartFacts, type Drawable } from "../../chart/build.ts";
import { drawChart } from "../../chart/draw-chart.ts";
import { drawChartLegend } from "../../chart/legend.ts";
import { drawPanels } from "../../chart/panels.ts";
import type { Point } from "../../chart/points.ts";
import type { About } from "../result.ts";

/** What a page adds to the chart of a report. */
export type FigureOptions = {
  /** Where a mark leads to, by its value of x. */
  readonly getHref?: NonNullable<ChartFacts["getHref"]>;
  /** Whether a stack of more than three kinds is drawn side by side as well. */
  readonly hasPanels?: boolean;
};

/** The chart of a report with its legend and notes; nothing where it has one mark, a sentence where it has too many. */
export function drawFigure(
  about: About,
  columns: Rows["columns"],
  points: readonly Point[] | undefined,
  { getHref, hasPanels = false }: FigureOptions,
): Markup | undefined {
  const { title, chart } = about;
  if (chart === undefined) return undefined;
  if (points === undefined)
    return html`<p class="small muted">No chart: there are too many values of ${chart.x}.</p>`;
  if (points.length < 2) return undefined;
  const kind = columns.find(({ name }) => name === chart.x)?.kind ?? "text";
  const label = `${title}: ${chart.y} by ${chart.x}`.replaceAll("_", " ");
  const drawable = buildChart(chart, kind, points, {
    label,
    ...about,
    ...(getHref && { getHref }),
  });
  const panels = hasPanels && drawable.type === "bars" ? drawPanels(drawable.chart) : undefined;
  return html`<figure class="chart">
    ${drawChartLegend(drawable)} ${drawChart(drawable)}
    <figcaption class="small muted">${writeNotes(chart, drawable).join(" · ")}</figcaption>
    ${panels}
  </figure>`;
}

/** What is said below a chart: its axes, and the signs that it has. */
export function writeNotes({ x, y, stack }: ChartForm, drawable: Drawable): string[] {
  const by = stack === undefined ? "" : ` and ${stack}`;
  return [`${y} by ${x}${by}`.replaceAll("_", " "), ...listSigns(drawable)];
}

function listSigns(drawable: Drawable): string[] {
  if (drawable.type === "heat") return [];
  if (drawable.type === "ranking") {
    const { names, chart } = drawable;
    return names > chart.names.length ? [`the first ${chart.names.length} of ${names}`] : [];
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
