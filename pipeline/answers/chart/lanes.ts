import { html, type Markup } from "../../base/html/markup.ts";
import { formatAmount } from "./scale.ts";
import type {
  BarLane,
  ChangeLane,
  DotLane,
  Lane,
  LaneMark,
  Lanes,
  MarkLane,
  SumLane,
} from "./lane.ts";
import { draw, drawBox, drawRule, formatPercent, wrapMark } from "./svg.ts";
import { listTimeTicks } from "./ticks.ts";

type Range = Pick<Lanes, "startMs" | "endMs">;

/** Draws lanes above each other over one time axis. Each has one tab stop. */
export function drawLanes(lanes: Lanes): Markup {
  const ticks = listTimeTicks(lanes.startMs, lanes.endMs);
  const labels = ticks.map(({ at, label }, i) => {
    const x = place(lanes, at);
    // The last label ends at the edge of the plot.
    const isLast = x > 0.95;
    const name = [i % 2 === 1 ? "tk2" : "", isLast ? "r" : ""].join(" ").trim();
    const side = { dx: isLast ? -3 : 3, ...(name !== "" && { class: name }) };
    return draw("text", { ...side, x: formatPercent(x), y: 14 }, label);
  });
  return html`${lanes.lanes.map((lane) => drawLane(lanes, lane))}
    <div class="lane">
      <div class="ll small muted">${lanes.note}</div>
      <div class="plot np">${draw("svg", { class: "ch", height: 24 }, labels)}</div>
    </div>`;
}

function place({ startMs, endMs }: Range, at: number): number {
  return endMs > startMs ? Math.min(1, Math.max(0, (at - startMs) / (endMs - startMs))) : 0;
}

function drawLane(range: Range, lane: Lane): Markup {
  const { height, marks } = drawMarks(range, lane);
  const isEmpty = marks.length === 0;
  const label = `${lane.name}: ${lane.note}`;
  const attributes = { class: "ch", height, "aria-label": label };
  const kind =
    isEmpty || lane.kind === "sum" ? { role: "img" } : { role: "group", "data-rove": "" };
  const svg = draw("svg", { ...attributes, ...kind }, [...drawGround(range), ...marks]);
  return html`<div class="${isEmpty ? "lane e" : "lane"}">
    <div class="ll">${lane.name}<span>${lane.note}</span></div>
    <div class="plot np">${svg}</div>
  </div>`;
}

const dayMs = 86_400_000;

// Weekends from two days on, and a line at each label of the axis.
function drawGround(range: Range): Markup[] {
  const { startMs, endMs } = range;
  const days = endMs - startMs > 2 * dayMs ? Math.ceil((endMs - startMs) / dayMs) + 1 : 0;
  const midnight = Math.floor(startMs / dayMs) * dayMs;
  const weekends = Array.from({ length: days }, (_, i) => midnight + i * dayMs).flatMap((ms) => {
    const [x, end] = [place(range, ms), place(range, ms + dayMs)];
    const isWeekend = [0, 6].includes(new Date(ms).getUTCDay()) && end > x;
    const width = formatPercent(end - x);
    return isWeekend
      ? [draw("rect", { class: "wk", x: formatPercent(x), width, y: 0, height: "100%" })]
      : [];
  });
  const lines = listTimeTicks(startMs, endMs).map(({ at }) => {
    const x = formatPercent(place(range, at));
    return draw("line", { class: "gl", x1: x, x2: x, y1: 0, y2: "100%" });
  });
  return [...weekends, ...lines];
}

type Drawn = { readonly height: number; readonly marks: Markup[] };

const thin = 28;

function drawMarks(range: Range, lane: Lane): Drawn {
  switch (lane.kind) {
    case "dots":
      return drawDotLane(range, lane);
    case "bars":
      return drawBarLane(range, lane);
    case "marks":
      return drawMarkLane(range, lane);
    case "changes":
      return drawChangeLane(range, lane);
    case "sum":
      return drawSumLane(range, lane);
  }
}

function wrapLaneMark(
  { lines, href }: Pick<LaneMark, "lines" | "href">,
  isStop: boolean,
  marks: Markup[],
): Markup {
  return wrapMark({ lines, href, isStop }, marks);
}

const largest = 24;

/** The radius of a dot whose area is an amount: a count of one is 5 pixels, two gigabytes are 24. */
export function sizeDot(amount: number, unit: DotLane["unit"]): number {
  const radius = unit === "bytes" ? 3 + 21 * Math.sqrt(amount / 2e9) : 2 + 3.2 * Math.sqrt(amount);
  return Math.min(largest, radius);
}

function drawDotLane(range: Range, { dots, unit }: DotLane): Drawn {
  if (dots.length === 0) return { height: thin, marks: [] };
  const radii = dots.map(({ amount }) => sizeDot(amount, unit));
  const widest = Math.max(...radii);
  const rows = chooseRows(
    dots.map(({ at }) => place(range, at)),
    radii,
  );
  const between = widest * 1.4;
  const height = Math.max(thin, 2 * widest + 14 + Math.max(...rows) * between);
  const marks = dots.map((dot, i) => {
    const cy = (height - Math.max(...rows) * between) / 2 + rows[i]! * between;
    const at = { cx: formatPercent(place(range, dot.at)), cy };
    const circle = draw("circle", { class: `${dot.paint} dotf`, ...at, r: radii[i] });
    const ring = draw("circle", { class: "ring", ...at, r: radii[i]! + 3 });
    return wrapLaneMark(
      dot,
      i === dots.length - 1,
      dot.isFirst === true ? [circle, ring] : [circle],
    );
  });
  return { height, marks };
}

const mostInOneRow = 40;
const mostRows = 3;
const usualWidth = 1100;

// Many dots lie over each other: each takes the first row in which the last one ends before it, else the freest.
function chooseRows(places: readonly number[], radii: readonly number[]): number[] {
  const ends = Array.from({ length: places.length > mostInOneRow ? mostRows : 1 }, () => -Infinity);
  return places.map((x, i) => {
    const [start, end] = [x * usualWidth - radii[i]!, x * usualWidth + radii[i]!];
    const free = ends.findIndex((each) => each <= start);
    const row = free >= 0 ? free : ends.indexOf(Math.min(...ends));
    ends[row] = Math.max(ends[row]!, end);
    return row;
  });
}

const barsHeight = 48;

function drawBarLane(range: Range, { stepMs, bars }: BarLane): Drawn {
  const most = Math.max(1, ...bars.map(({ amount }) => amount));
  const marks = bars.map((bar, i) => {
    const [x, end] = [place(range, bar.at), place(range, bar.at + stepMs)];
    const box = { x: x + (end - x) * 0.12, width: (end - x) * 0.76 };
    const height = Math.max(1, (bar.amount / most) * (barsHeight - 8));
    return wrapLaneMark(bar, i === bars.length - 1, [
      drawBox({ ...box, y: barsHeight - height, height }, bar.paint),
      drawBox({ x, width: end - x, y: 0, height: barsHeight }, "hit"),
    ]);
  });
  return { height: bars.length === 0 ? thin : barsHeight, marks };
}

const side = 9;
const lineHeight = 15;
const mostLines = 6;

// Labels run to the left in the right half; each mark has a line of its own where others are near.
function drawMarkLane(range: Range, { marks }: MarkLane): Drawn {
  if (marks.length === 0) return { height: thin, marks: [] };
  const sorted = marks.toSorted((a, b) => a.at - b.at);
  const ends: number[] = [];
  const placed = sorted.map((mark, i) => {
    const x = place(range, mark.at);
    const free = ends.findIndex((end) => x - end > 0.03);
    const isCrowded = free < 0 && ends.length >= mostLines;
    const line = free >= 0 ? free : Math.min(ends.length, mostLines - 1);
    // Over another label, none can be read.
    const { label, ...unlabelled } = mark;
    // A label takes about a third of the width.
    ends[line] = label === undefined || x >= 0.5 ? x : x + 0.33;
    return wrapLaneMark(
      mark,
      i === sorted.length - 1,
      drawShape(x, 5 + line * lineHeight, isCrowded ? unlabelled : mark),
    );
  });
  return { height: Math.max(thin, ends.length * lineHeight + 8), marks: placed };
}

function drawShape(
  x: number,
  y: number,
  { paint, shape, label }: MarkLane["marks"][number],
): Markup[] {
  const at = formatPercent(x);
  const mark =
    shape === "disc"
      ? draw("circle", { class: paint, cx: at, cy: y + side / 2, r: side / 2 })
      : drawSquare(at, y, paint);
  if (label === undefined) return [mark];
  const [first = "", ...rest] = label.split(" ");
  const [name, dx] = x < 0.5 ? ["an", side] : ["an r", -side];
  const more = draw("tspan", { class: "only-w" }, ` ${rest.join(" ")}`);
  return [mark, draw("text", { class: name, x: at, dx, y: y + side }, [first, more])];
}

// Its middle is at the moment.
function drawSquare(x: string, y: number, paint: string): Markup {
  return draw("rect", {
    class: paint,
    x,
    y,
    width: side,
    height: side,
    transform: `translate(-${side / 2} 0)`,
  });
}

const changesHeight = 76;
const changesTop = 14;

function drawChangeLane(range: Range, { stepMs, changes, marks = [] }: ChangeLane): Drawn {
  if (changes.length === 0 && marks.length === 0) return { height: thin, marks: [] };
  const middle = changesTop + (changesHeight - changesTop) / 2;
  const most = Math.max(1, ...changes.flatMap(({ up, down }) => [up, down]));
  const scale = (changesHeight - changesTop) / 2 / most;
  const bars = changes.map((change, i) => {
    const [x, end] = [place(range, change.at), place(range, change.at + stepMs)];
    const box = { x: x + (end - x) * 0.12, width: (end - x) * 0.76 };
    const [up, down] = [change.up, change.down].map((count) =>
      count > 0 ? Math.max(1, count * scale) : 0,
    );
    return wrapLaneMark(change, i === changes.length - 1, [
      ...(up! > 0 ? [drawBox({ ...box, y: middle - up!, height: up! }, "c1")] : []),
      ...(down! > 0 ? [drawBox({ ...box, y: middle, height: down! }, "c6")] : []),
      drawBox({ x, width: end - x, y: 0, height: changesHeight }, "hit"),
    ]);
  });
  const squares = marks.map((mark, i) =>
    wrapLaneMark(mark, changes.length === 0 && i === marks.length - 1, [
      drawSquare(formatPercent(place(range, mark.at)), 2, mark.paint),
    ]),
  );
  return {
    height: changesHeight,
    marks: [drawRule("ax", [0, 1], [middle, middle]), ...bars, ...squares],
  };
}

const sumHeight = 60;

// A stair up to the whole, which is written at its end.
function drawSumLane(range: Range, { steps, unit }: SumLane): Drawn {
  const whole = steps.reduce((sum, { amount }) => sum + amount, 0);
  if (!(whole > 0)) return { height: thin, marks: [] };
  let sum = 0;
  const stairs = steps
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, amount }) => {
      sum += amount;
      return `H${(place(range, at) * 1000).toFixed(1)}V${(sumHeight - (sum / whole) * (sumHeight - 6)).toFixed(1)}`;
    });
  const d = `M0 ${sumHeight}${stairs.join("")}H1000`;
  const view = { viewBox: `0 0 1000 ${sumHeight}`, preserveAspectRatio: "none" };
  const path = draw("path", { class: "ln", "vector-effect": "non-scaling-stroke", d });
  return {
    height: sumHeight,
    marks: [
      draw("svg", { width: "100%", height: sumHeight, ...view }, path),
      draw("text", { class: "an r", x: "99%", y: 20 }, formatAmount(whole, unit)),
    ],
  };
}
