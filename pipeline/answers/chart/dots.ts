import type { Markup } from "../../base/html/markup.ts";
import type { AxisChart, Dots, Series } from "./chart.ts";
import { drawPlot, newPlot, placeAmount, placeSlot, type Plot } from "./plot.ts";
import { newLinearScale, newLogScale, type Scale } from "./scale.ts";
import { draw, drawRule, formatPercent } from "./svg.ts";

/** A dot for each amount, with a stem to the axis; on a logarithmic scale for what lies over powers of ten. */
export function drawDots(chart: Dots): Markup {
  const plot = newPlot(chart, chooseScale(chart));
  const isLog = chart.scale === "log";
  const marks = chart.series.map((series, i) => {
    // A logarithmic scale has no zero.
    const isDrawn = (amount: number | null): amount is number =>
      amount !== null && (amount > 0 || !isLog);
    const dots = series.values.map((amount, slot) =>
      isDrawn(amount) ? drawDot(plot, series, slot, amount) : undefined,
    );
    return draw("g", { "data-s": String(i) }, dots);
  });
  return drawPlot(plot, marks, (slot) => placeAmount(plot, getGreatest(chart, slot)) - 6);
}

function drawDot(
  plot: Plot,
  { paint, marked = [] }: Series,
  slot: number,
  amount: number,
): Markup[] {
  const [x, y] = [placeSlot(plot, slot), placeAmount(plot, amount)];
  const [name, r] = marked.includes(slot) ? ["crf", 7] : [paint, 4];
  const pale = plot.slots[slot]?.isPart === true ? ".45" : undefined;
  const circle = { class: name, cx: formatPercent(x), cy: y, r, "fill-opacity": pale };
  return [drawRule("gl", [x, x], [plot.bottom, y]), draw("circle", circle)];
}

/** The scale of all amounts of a chart whose marks are side by side. */
export function chooseScale({ series, usual = [], unit, scale }: Dots): Scale {
  const amounts = [...series.flatMap(({ values }) => values), ...usual].filter(
    (each) => each !== null,
  );
  return scale === "log" ? newLogScale(amounts, unit) : newLinearScale(amounts, unit);
}

export function getGreatest({ series }: AxisChart, slot: number): number {
  return Math.max(0, ...series.map(({ values }) => values[slot] ?? 0));
}

export function sumSlot(series: readonly Series[], slot: number): number {
  return series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0);
}
