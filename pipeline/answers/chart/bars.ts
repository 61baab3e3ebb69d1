import { createHash } from "node:crypto";
import type { Markup } from "../../base/html/markup.ts";
import type { Bars, Paint, Series } from "./chart.ts";
import { drawPlot, newPlot, placeAmount, type Plot } from "./plot.ts";
import { newLinearScale } from "./scale.ts";
import { draw, drawBox } from "./svg.ts";

/** Bars from zero, stacked by series from the bottom up; those of part days are hatched. */
export function drawBars(chart: Bars): Markup {
  const stacks = chart.slots.map((_, slot) => stackSlot(chart.series, slot));
  const ends = stacks.flatMap((stack) => stack.flatMap(({ from, to }) => [from, to]));
  const usual = (chart.usual ?? []).filter((amount) => amount !== null);
  const plot = newPlot(chart, newLinearScale([...ends, ...usual.map(Math.ceil)], chart.unit));
  const hatch = `hatch-${computeId(chart.label)}`;
  const marks = stacks.map((stack, slot) => drawStack(plot, slot, stack, hatch));
  const hasParts = chart.slots.some(({ isPart }) => isPart === true);
  return drawPlot(plot, [...(hasParts ? [drawPattern(hatch)] : []), ...marks], (slot) =>
    Math.min(plot.bottom, ...stacks[slot]!.map(({ to }) => placeAmount(plot, to))),
  );
}

type Part = {
  readonly series: number;
  readonly paint: Paint;
  readonly from: number;
  readonly to: number;
};

// Negative amounts are stacked downwards.
function stackSlot(series: readonly Series[], slot: number): Part[] {
  const reached = { above: 0, below: 0 };
  return series.flatMap(({ values, paint, marked = [] }, i) => {
    const amount = values[slot] ?? 0;
    if (amount === 0) return [];
    const side = amount > 0 ? "above" : "below";
    const from = reached[side];
    reached[side] = from + amount;
    return [{ series: i, paint: marked.includes(slot) ? "crf" : paint, from, to: from + amount }];
  });
}

function drawStack(plot: Plot, slot: number, stack: readonly Part[], hatch: string): Markup {
  const count = plot.slots.length;
  const [x, width] = [(slot + 0.14) / count, 0.72 / count];
  const drawSpan = (from: number, to: number, name: string): Markup => {
    const [a, b] = [placeAmount(plot, from), placeAmount(plot, to)];
    // The least that there is can be seen.
    return drawBox({ x, width, y: Math.min(a, b), height: Math.max(0.8, Math.abs(a - b)) }, name);
  };
  const parts = stack.map(({ series, paint, from, to }) =>
    draw("g", { "data-s": String(series) }, drawSpan(from, to, paint)),
  );
  if (plot.slots[slot]!.isPart !== true || stack.length === 0)
    return draw("g", { "data-stack": "" }, parts);
  const ends = stack.flatMap(({ from, to }) => [from, to]);
  const stripes = drawSpan(Math.min(...ends), Math.max(...ends), "hf");
  return draw("g", { "data-stack": "" }, [
    draw("g", { class: "part" }, parts),
    draw("g", { fill: `url(#${hatch})` }, stripes),
  ]);
}

// Stripes of the card's colour.
function drawPattern(id: string): Markup {
  const [width, height] = [6, 6];
  const place = { patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const stripe = draw("line", { class: "hat", x1: 0, y1: 0, x2: 0, y2: height });
  return draw("defs", {}, draw("pattern", { id, width, height, ...place }, stripe));
}

/** A name for a part of a drawing that others refer to, the same each time it is drawn. */
function computeId(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
