import { html, type Markup } from "../../base/html/markup.ts";
import { formatAmount } from "./amounts.ts";
import type { Paint, Series, Unit } from "./chart.ts";
import { draw } from "./svg.ts";

/** The series of a chart with their totals, for the head of its card; a script makes each hide its series. */
export function drawLegend(series: readonly Series[], unit?: Unit): Markup {
  const entries = series.map(({ name, paint, values }, i) => {
    const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    return html`<span class="swl" data-s="${i}"
      >${drawSwatch(paint)}${name} <b>${formatAmount(total, unit)}</b></span
    > `;
  });
  return html`<div class="lg">${entries}</div>`;
}

/** A square in the colour of what it stands beside. */
export function drawSwatch(paint: Paint): Markup {
  const square = draw("rect", { width: 10, height: 10, class: paint });
  return draw("svg", { class: "sw", viewBox: "0 0 10 10", "aria-hidden": "true" }, square);
}
