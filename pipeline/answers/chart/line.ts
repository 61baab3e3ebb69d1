import type { Markup } from "../../base/html/markup.ts";
import type { Line, Series } from "./chart.ts";
import { chooseScale, getGreatest } from "./dots.ts";
import { drawPlot, newPlot, placeAmount, placeSlot, type Plot } from "./plot.ts";
import { draw, formatPercent } from "./svg.ts";

// More dots than these would be a line themselves.
const mostDots = 62;

/** Draws a line for each series through its amounts in order, with breaks at missing amounts and partial days. */
export function drawLine(chart: Line): Markup {
  const plot = newPlot(chart, chooseScale(chart));
  const marks = chart.series.map((series, i) =>
    draw("g", { "data-s": String(i) }, [drawPath(plot, series), ...drawPoints(plot, series)]),
  );
  return drawPlot(plot, marks, (slot) => placeAmount(plot, getGreatest(chart, slot)) - 5);
}

// Across, a unit of the inner picture is a slot, so that the path fits every width; upwards it is a pixel.
function drawPath(plot: Plot, { values, paint }: Series): Markup {
  const { slots, height } = plot;
  const isDrawn = (slot: number): boolean =>
    (values[slot] ?? null) !== null && slots[slot]?.isPart !== true;
  const steps = slots.flatMap((_, slot) => {
    if (!isDrawn(slot)) return [];
    const command = slot > 0 && isDrawn(slot - 1) ? "L" : "M";
    return [`${command}${slot + 0.5} ${placeAmount(plot, values[slot]!).toFixed(1)}`];
  });
  const path = { class: `ln ${paint}`, "vector-effect": "non-scaling-stroke", d: steps.join("") };
  const view = { viewBox: `0 0 ${slots.length} ${height}`, preserveAspectRatio: "none" };
  return draw("svg", { width: "100%", height, ...view }, draw("path", path));
}

// Part days and amounts without a neighbour have no line, so that they always have a point.
function drawPoints(plot: Plot, { values, paint, marked = [] }: Series): Markup[] {
  return values.flatMap((amount, slot) => {
    const isPart = plot.slots[slot]?.isPart === true;
    const isMarked = marked.includes(slot);
    const isAlone = (values[slot - 1] ?? null) === null && (values[slot + 1] ?? null) === null;
    const isDrawn = values.length <= mostDots || isPart || isMarked || isAlone;
    if (amount === null || !isDrawn) return [];
    const place = { cx: formatPercent(placeSlot(plot, slot)), cy: placeAmount(plot, amount) };
    const [name, r] = isMarked ? ["crf", 5] : [paint, 3];
    return [
      draw("circle", { class: name, ...place, r, "fill-opacity": isPart ? ".45" : undefined }),
    ];
  });
}
