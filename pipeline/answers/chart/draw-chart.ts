import { html, type Markup } from "../../base/html/markup.ts";
import { writeSwatch } from "../../base/html/signs.ts";
import { drawBars } from "./bars.ts";
import type { Drawable } from "./build.ts";
import type { Series, Unit } from "./chart.ts";
import { drawDots } from "./dots.ts";
import { drawHeat, drawHeatLegend } from "./heat.ts";
import { drawLine } from "./line.ts";
import { drawRanking } from "./ranking.ts";
import { formatAmount } from "./scale.ts";

export function drawChart(drawable: Drawable): Markup {
  switch (drawable.type) {
    case "bars":
      return drawBars(drawable.chart);
    case "dots":
      return drawDots(drawable.chart);
    case "line":
      return drawLine(drawable.chart);
    case "heat":
      return drawHeat(drawable.chart);
    case "ranking":
      return drawRanking(drawable.chart);
  }
}

/** The series of a chart with their totals, for the head of its card; a script makes each hide its series. */
export function drawLegend(series: readonly Series[], unit?: Unit): Markup {
  const entries = series.map(({ name, paint, values }, i) => {
    const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    return html`<span class="swl" data-s="${i}"
      >${writeSwatch(paint)}${name} <b>${formatAmount(total, unit)}</b></span
    > `;
  });
  return html`<div class="lg">${entries}</div>`;
}

/** Draws the legend of any chart; empty for one series. */
export function drawChartLegend(drawable: Drawable): Markup | undefined {
  if (drawable.type === "heat") return drawHeatLegend(drawable.chart);
  const { series, unit } = drawable.chart;
  return series.length > 1 ? drawLegend(series, unit) : undefined;
}
