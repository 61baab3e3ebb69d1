import type { Markup } from "../../base/html/markup.ts";
import type { Ranking, Series } from "./chart.ts";
import { sumSlot } from "./dots.ts";
import { formatAmount, newLinearScale, newLogScale, type Scale } from "./scale.ts";
import { draw, drawBox, drawGroup, drawRule, formatPercent, wrapMark } from "./svg.ts";

const rowHeight = 34;
const barTop = 19;
const barHeight = 9;

/** Draws a bar for each name, below the name, so that long names fit on every screen; dots on a logarithmic scale. */
export function drawRanking(chart: Ranking): Markup {
  const { names, series, unit } = chart;
  const sums = names.map((_, row) => sumSlot(series, row));
  const scale = chart.scale === "log" ? newLogScale(sums, unit) : newLinearScale(sums, unit);
  const rows = names.map(({ name, href }, row) => {
    const answer = { lines: describeRow(chart, row), href, isStop: row === 0 };
    const cover = drawBox({ x: 0, width: 1, y: row * rowHeight, height: rowHeight - 2 }, "hit");
    return [
      drawNames(name, formatAmount(sums[row]!, unit), row),
      chart.scale === "log"
        ? drawMark(scale, series, row, sums[row]!)
        : drawParts(series, row, sums),
      chart.frame === undefined ? wrapMark(answer, cover) : [],
    ];
  });
  const { label, frame } = chart;
  return drawGroup({ label, height: getRankingHeight(chart), frame, longest: 0 }, rows.flat(2));
}

export function getRankingHeight({ names }: Ranking): number {
  return names.length * rowHeight;
}

function drawNames(name: string, amount: string, row: number): Markup[] {
  const y = row * rowHeight + 13;
  return [
    draw("text", { class: "an", x: 0, y }, shortenName(name)),
    draw("text", { class: "r", x: "100%", y }, amount),
  ];
}

// Characters that fit beside an amount on a phone.
const longestName = 42;

function shortenName(name: string): string {
  const characters = [...name];
  if (characters.length <= longestName) return name;
  return `${characters.slice(0, 20).join("")}…${characters.slice(-20).join("")}`;
}

// The greatest bar takes the whole width.
function drawParts(series: readonly Series[], row: number, sums: readonly number[]): Markup[] {
  const most = sums.reduce((a, b) => Math.max(a, b), 0);
  const y = row * rowHeight + barTop;
  let reached = 0;
  const parts = series.flatMap(({ values, paint }, i) => {
    const amount = Math.max(0, values[row] ?? 0);
    if (amount === 0) return [];
    const x = reached / most;
    reached += amount;
    const box = { x, width: Math.max(amount / most, 0.002), y, height: barHeight };
    return [draw("g", { "data-s": String(i) }, drawBox(box, paint))];
  });
  const track = { x: 0, width: 1, y, height: barHeight };
  return [drawBox(track, "bar-bg"), ...parts];
}

// A bar begins at zero, which a logarithmic scale does not have.
function drawMark(scale: Scale, series: readonly Series[], row: number, sum: number): Markup[] {
  const y = row * rowHeight + barTop + barHeight / 2;
  const line = drawRule("gl", [0, 1], [y, y]);
  if (!(sum > 0)) return [line];
  const at = formatPercent(scale.place(sum));
  const paint = series.find(({ values }) => (values[row] ?? 0) > 0)?.paint;
  return [line, draw("circle", { class: paint, cx: at, cy: y, r: 5 })];
}

function describeRow({ names, series, unit }: Ranking, row: number): string[] {
  const parts = series.filter(({ values }) => (values[row] ?? 0) !== 0);
  const lines = parts.map(({ name, values }) => `${name}: ${formatAmount(values[row]!, unit)}`);
  return [names[row]!.name, ...(lines.length === 0 ? [formatAmount(0, unit)] : lines)];
}
