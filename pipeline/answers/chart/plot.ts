import type { Markup } from "../../base/html/markup.ts";
import type { AxisChart, Note, Series, Slot } from "./chart.ts";
import { formatAmount, formatTick, type Scale } from "./scale.ts";
import { draw, drawBox, drawGroup, drawRule, formatPercent, wrapMark } from "./svg.ts";

/** The place of a chart's parts: slots across, amounts from the bottom up. */
export type Plot = {
  readonly chart: AxisChart;
  readonly slots: readonly Slot[];
  readonly scale: Scale;
  /** In pixels from the top of the picture. */
  readonly top: number;
  readonly bottom: number;
  readonly height: number;
};

/** The height of a chart in pixels, where it names none. */
export const defaultHeight = 190;
const belowAxis = 22;
const noteLine = 16;

/** Lays a chart out: direct labels have a line each above the plot. */
export function newPlot(chart: AxisChart, scale: Scale): Plot {
  const { slots, notes = [], height = defaultHeight } = chart;
  return {
    chart,
    slots,
    scale,
    top: 10 + noteLine * notes.length,
    bottom: height - belowAxis,
    height,
  };
}

/** The height in pixels of an amount. */
export function placeAmount({ scale, top, bottom }: Plot, amount: number): number {
  return bottom - scale.place(amount) * (bottom - top);
}

/** The middle of a slot, as a part of the width. */
export function placeSlot({ slots }: Plot, slot: number): number {
  return (slot + 0.5) / slots.length;
}

/**
 * Draws a chart around its marks: axes below, usual amounts, direct labels and links above. `getTop` is the highest
 * pixel of a slot's marks.
 */
export function drawPlot(plot: Plot, marks: Markup[], getTop: (slot: number) => number): Markup {
  const { chart, height } = plot;
  const { label, frame, brush, unit } = chart;
  const content = [
    ...drawWeekends(plot),
    ...drawAxes(plot),
    ...marks,
    ...drawSelection(plot),
    ...drawUsual(plot),
    ...drawNotes(plot, getTop),
    ...(frame === undefined ? drawSlotLinks(plot) : []),
  ];
  const longest = Math.max(...plot.scale.ticks.map((tick) => formatTick(tick, unit).length));
  const data = {
    "data-brush": brush?.form,
    "data-edges": brush?.edges.join("|"),
    "data-fields": brush?.fields?.join("|"),
  };
  return drawGroup({ label, height, frame, longest, data }, content);
}

function drawAxes({ slots, ...plot }: Plot): Markup[] {
  const { scale, bottom, height, chart } = plot;
  const ticks = scale.ticks.flatMap((tick) => {
    const y = Math.round(placeAmount({ slots, ...plot }, tick)) + 0.5;
    return [
      drawRule(tick === 0 ? "ax" : "gl", [0, 1], [y, y]),
      draw("text", { class: "r", x: -8, y: y + 3.5 }, formatTick(tick, chart.unit)),
    ];
  });
  const base = drawRule("ax", [0, 1], [bottom + 0.5, bottom + 0.5]);
  const labels = slots.flatMap(({ label, isMinor = false }, i) => {
    if (label === undefined) return [];
    const x = formatPercent((i + 0.5) / slots.length);
    return [draw("text", { class: isMinor ? "m tk2" : "m", x, y: height - 6 }, label)];
  });
  return [...(scale.ticks.includes(0) ? [] : [base]), ...ticks, ...labels];
}

function drawWeekends({ slots, top, bottom }: Plot): Markup[] {
  const runs = listRuns(slots.map(({ isWeekend = false }) => isWeekend));
  return runs.map(([from, to]) => {
    const [x, width] = [from / slots.length, (to - from) / slots.length];
    return drawBox({ x, width, y: top - 8, height: bottom - top + 8 }, "wk");
  });
}

function drawSelection({ slots, top, bottom, chart }: Plot): Markup[] {
  const { selected } = chart.brush ?? {};
  if (selected === undefined) return [];
  const [from, to] = selected;
  const place = { x: from / slots.length, width: (to - from) / slots.length };
  return [drawBox({ ...place, y: top - 8, height: bottom - top + 8 }, "brush")];
}

/** The half-open ranges in which flags are set. */
export function listRuns(flags: readonly boolean[]): (readonly [number, number])[] {
  const starts = flags.flatMap((flag, i) => (flag && flags[i - 1] !== true ? [i] : []));
  return starts.map((from) => {
    const end = flags.indexOf(false, from);
    return [from, end < 0 ? flags.length : end] as const;
  });
}

function drawUsual(plot: Plot): Markup[] {
  const { slots, chart } = plot;
  return (chart.usual ?? []).flatMap((amount, i) => {
    if (amount === null || slots[i]?.isPart === true) return [];
    const y = placeAmount(plot, amount);
    return [drawRule("use", [(i + 0.05) / slots.length, (i + 0.95) / slots.length], [y, y])];
  });
}

// Labels in the left half run to the right: the first is the highest there, the last in the right half, so that no
// leader crosses the text of the other one.
function drawNotes(plot: Plot, getTop: (slot: number) => number): Markup[] {
  const sorted = (plot.chart.notes ?? []).toSorted((a, b) => a.slot - b.slot);
  const isLeft = ({ slot }: Note): boolean => placeSlot(plot, slot) < 0.5;
  const order = [...sorted.filter(isLeft), ...sorted.filter((note) => !isLeft(note)).toReversed()];
  return order.flatMap((note, line) => drawNote(plot, note, line, getTop(note.slot)));
}

function drawNote(
  plot: Plot,
  { slot, text, short }: Note,
  line: number,
  markTop: number,
): Markup[] {
  const at = placeSlot(plot, slot);
  const y = 10 + line * noteLine;
  const [anchor, dx] = at < 0.5 ? ["an", 5] : ["an r", -5];
  const write = (words: string, only = ""): Markup =>
    draw("text", { class: `${anchor}${only}`, x: formatPercent(at), dx, y }, words);
  const leader = drawRule("lead", [at, at], [y - 8, Math.max(y, markTop - 3)]);
  if (short === undefined) return [leader, write(text)];
  return [leader, write(text, " only-w"), write(short, " only-n")];
}

// Each slot as a whole, the last being the tab stop.
function drawSlotLinks({ slots, top, bottom, chart }: Plot): Markup[] {
  return slots.map(({ href }, i) => {
    const [x, width] = [i / slots.length, 1 / slots.length];
    const cover = drawBox({ x, width, y: top - 8, height: bottom - top + 8 }, "hit");
    return wrapMark({ lines: describeSlot(chart, i), href, isStop: i === slots.length - 1 }, cover);
  });
}

/** Lists the lines of a slot's tooltip: its name, one line per series with an amount, and the usual amount. */
export function describeSlot({ slots, series, usual, unit }: AxisChart, slot: number): string[] {
  const { name, tip, isPart = false } = slots[slot]!;
  if (tip !== undefined) return [name, ...tip];
  const write = (each: Series): string[] => {
    const amount = each.values[slot] ?? null;
    const isNothing = amount === null || (amount === 0 && series.length > 1);
    return isNothing ? [] : [`${each.name}: ${formatAmount(amount, unit)}`];
  };
  const lines = series.toReversed().flatMap(write);
  const before = isPart ? null : (usual?.[slot] ?? null);
  return [
    isPart ? `${name}, part of it` : name,
    ...(lines.length === 0 ? [formatAmount(0, unit)] : lines),
    ...(before === null ? [] : [`usual: ${formatAmount(before, unit)}`]),
  ];
}
