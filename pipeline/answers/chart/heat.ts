import { html, type Markup } from "../../base/html/markup.ts";
import { formatAmount } from "./scale.ts";
import type { Heat } from "./chart.ts";
import { draw, drawBox, drawGroup, formatPercent, wrapMark } from "./svg.ts";

const rowHeight = 22;
const belowRows = 22;
const steps = 6;

/** A cell for each row and column in six steps; nothing and zero have the colour of the ground. */
export function drawHeat(chart: Heat): Markup {
  const { columns, rows, cells, every = 1 } = chart;
  const most = findMost(cells);
  const bottom = rows.length * rowHeight;
  const marks = rows.flatMap((row, r) => [
    draw("text", { class: "r", x: -8, y: r * rowHeight + 15 }, row),
    ...columns.map((_, c) => drawCell(chart, most, r, c)),
  ]);
  const labels = columns.map((column, c) => {
    if (c % every !== 0) return undefined;
    const x = formatPercent((c + 0.5) / columns.length);
    return draw("text", { class: "m", x, y: bottom + 15 }, column);
  });
  const longest = Math.max(0, ...rows.map((row) => row.length));
  const { label, frame } = chart;
  return drawGroup({ label, height: getHeatHeight(chart), frame, longest }, [...marks, ...labels]);
}

export function getHeatHeight({ rows }: Heat): number {
  return rows.length * rowHeight + belowRows;
}

function drawCell(chart: Heat, most: number, r: number, c: number): Markup {
  const { columns, rows, cells, unit, getHref, frame } = chart;
  const amount = cells[r]?.[c] ?? null;
  const [x, width] = [(c + 0.03) / columns.length, 0.94 / columns.length];
  const box = { x, width, y: r * rowHeight + 1, height: rowHeight - 2 };
  const written = amount === null ? "none" : formatAmount(amount, unit);
  const isStop = r === rows.length - 1 && c === columns.length - 1;
  const cell = drawBox(box, `q${chooseStep(amount ?? 0, most)}`);
  if (frame !== undefined) return cell;
  const lines = [`${rows[r]!}, ${columns[c]!}`, written];
  return wrapMark({ lines, href: getHref?.(r, c), isStop }, [cell, drawBox(box, "hit")]);
}

/** The step of an amount: 0 for none, 1 to 6 for equal parts of the greatest. */
export function chooseStep(amount: number, most: number): number {
  if (!(amount > 0) || !(most > 0)) return 0;
  return Math.min(steps, Math.max(1, Math.ceil((amount / most) * steps)));
}

/** The six steps with the greatest amount, for the head of the card. */
export function drawHeatLegend({ cells, unit }: Heat): Markup {
  const boxes = Array.from({ length: steps }, (_, i) => {
    const box = draw("rect", { class: `q${i + 1}`, width: 14, height: 10 });
    return draw("svg", { viewBox: "0 0 14 10", "aria-hidden": "true" }, box);
  });
  return html`<span class="lg">
    <span>0</span> <span class="legend-q">${boxes}</span> ${formatAmount(findMost(cells), unit)}
  </span>`;
}

function findMost(cells: Heat["cells"]): number {
  return cells.flat().reduce<number>((most, amount) => Math.max(most, amount ?? 0), 0);
}
