import { fromTimestamp } from "../../../base/time/text.ts";
import { listChartColumns, type ChartForm } from "../../../base/report/chart-form.ts";
import {
  mergeSeries,
  listGreatest,
  isAlongAxis,
  maxMarks,
  newPointSum,
  type Point,
} from "../../chart/points.ts";
import { escapeControls } from "../../../base/printable.ts";
import type { ColumnKind, Rows } from "../../../base/rows/row.ts";
import type { About, Render } from "../result.ts";
import { clipped, displayWidth } from "../../../base/terminal/width.ts";
import { AuditlakeError, UsageError } from "../../../base/errors.ts";
import { getMarkupText } from "../../../base/html/markup.ts";
import { buildChart } from "../../chart/build.ts";
import { drawPicture } from "../../chart/picture.ts";
import { writeNotes } from "./figure.ts";

const widthElsewhere = 80;
const height = 10;
// Eighths of a character: to the right in bars, upwards in columns.
const rightwards = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const upwards = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** Renders the declared chart of a report in characters; throws UsageError if it cannot be drawn. */
export const renderChart: Render = async function* (result, { about, columns: available }) {
  const { form, kind, points, leftOut } = await readDeclaredChart(result, about);
  const width = available !== undefined && Number.isFinite(available) ? available : widthElsewhere;
  for (const line of drawSeries(form, kind, points, width)) yield `${line.trimEnd()}\n`;
  if (leftOut > 0) yield `${formatLeftOut(leftOut)}\n`;
};

// Of what a chart is stacked by, each has one of its own: characters have no colours.
function drawSeries(
  form: ChartForm,
  kind: ColumnKind,
  all: readonly Point[],
  width: number,
): string[] {
  const { points, series } = mergeSeries(all);
  if (series.length < 2) return drawChart(form, kind, points, width);
  return series.flatMap((name, i) => [
    ...(i === 0 ? [] : [""]),
    clipped(escapeControls(name), width),
    ...drawChart(
      form,
      kind,
      points.filter((point) => point.series === name),
      width,
    ),
  ]);
}

/** A chart of some points in lines of at most a width; names as bars, the greatest first, moments and numbers in order. */
export function drawChart(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  width: number,
): string[] {
  if (points.length === 0) return ["no rows, no chart"];
  return isAlongAxis(form, kind) ? drawAlong(form, kind, points, width) : drawRanked(points, width);
}

function drawRanked(points: readonly Point[], width: number): string[] {
  const sums = new Map(points.map(({ x, y }) => [x, y]));
  const shown = listGreatest(points).map((x) => {
    const y = sums.get(x)!;
    return { name: escapeControls(x), y, amount: String(y) };
  });
  const amounts = Math.max(...shown.map(({ y }) => countDigits(y)));
  const longest = Math.max(...shown.map(({ name }) => displayWidth(name)));
  const names = Math.max(1, Math.min(longest, Math.floor((width - amounts) / 2)));
  const space = Math.max(1, width - names - amounts - 2);
  const most = Math.max(...shown.map(({ y }) => y), 0);
  return shown.map(({ name, y, amount }) => {
    const label = clipped(name, names);
    return `${label}${" ".repeat(names - displayWidth(label))} ${drawBar(y, most, space)} ${amount}`;
  });
}

function drawBar(y: number, most: number, space: number): string {
  const eighths = most > 0 && y > 0 ? Math.max(1, Math.round((y / most) * space * 8)) : 0;
  return "█".repeat(Math.floor(eighths / 8)) + rightwards[eighths % 8]!;
}

function drawAlong(
  form: ChartForm,
  kind: ColumnKind,
  points: readonly Point[],
  width: number,
): string[] {
  const placed = points
    .map(({ x, y }) => ({ x, y, at: kind === "time" ? fromTimestamp(x) : Number(x) }))
    .filter(({ at }) => Number.isFinite(at))
    .toSorted((a, b) => a.at - b.at);
  const [first, last] = [placed[0], placed.at(-1)];
  if (first === undefined || last === undefined) return drawRanked(points, width);
  const step = findLeastStep(placed.map(({ at }) => at));
  const places = Math.round((last.at - first.at) / step) + 1;
  // Sums can have more digits than what they sum up.
  const space = Math.max(1, width - countDigits(points.reduce((all, { y }) => all + y, 0)) - 2);
  const each = Math.ceil(places / space);
  const sums = Array.from({ length: Math.ceil(places / each) }, () => 0);
  for (const { at, y } of placed) sums[Math.floor(Math.round((at - first.at) / step) / each)]! += y;
  const ends = [first.x, ...(last === first ? [] : [last.x])].map(escapeControls).join(" to ");
  const note = each === 1 ? [] : [`each column sums up ${each} of ${form.x}`];
  const wide = Math.max(1, Math.min(4, Math.floor(space / sums.length)));
  return [...drawColumns(sums, wide), ...[ends, ...note].map((line) => clipped(line, width))];
}

function drawColumns(sums: readonly number[], wide: number): string[] {
  const top = Math.max(...sums, 0);
  const full = sums.map((sum) => (sum > 0 ? Math.max(1, Math.round((sum / top) * height * 8)) : 0));
  return Array.from({ length: height }, (_, i) => {
    const below = (height - 1 - i) * 8;
    const label = i === 0 ? String(top) : i === height - 1 ? "0" : "";
    const marks = full.map((eighths) => upwards[Math.max(0, Math.min(8, eighths - below))]!);
    return `${label.padStart(countDigits(top))} │${marks.map((mark) => mark.repeat(wide)).join("")}`;
  });
}

function countDigits(amount: number): number {
  return String(amount).length;
}

// Times can be days or hours: the two closest ones decide.
function findLeastStep(sorted: readonly number[]): number {
  const gaps = sorted.slice(1).map((at, i) => at - sorted[i]!);
  const least = Math.min(...gaps.filter((gap) => gap > 0));
  return Number.isFinite(least) ? least : 1;
}

/** The chart that a report declares, with what it is to show. */
type DeclaredChart = {
  readonly title: string;
  readonly form: ChartForm;
  /** Of the x axis. */
  readonly kind: ColumnKind;
  readonly all: readonly Point[];
  /** Without days that are known in part only. */
  readonly points: readonly Point[];
  /** How many such days there are. */
  readonly leftOut: number;
};

/**
 * Reads all rows for the chart that their report declares. Throws UsageError if it declares none or the rows do not
 * have its columns, AuditlakeError if they are too many to draw.
 */
export async function readDeclaredChart(
  { columns, batches }: Rows,
  about: About | undefined,
): Promise<DeclaredChart> {
  const form = about?.chart;
  if (about === undefined || form === undefined)
    throw new UsageError(
      "no chart is declared; add -- chart: bars x=COLUMN y=COLUMN to the report's header",
    );
  const sum = newPointSum(form, columns);
  if (sum === undefined)
    throw new UsageError(
      `the chart needs columns ${listChartColumns(form).join(", ")}; the rows have ${columns.map(({ name }) => name).join(", ")}`,
    );
  for await (const batch of batches) sum.add(batch);
  const points = sum.points();
  if (points === undefined)
    throw new AuditlakeError(
      `the rows have too many values of ${form.x} for a chart, which shows at most ${maxMarks}; choose a shorter range`,
    );
  const { kind } = columns.find(({ name }) => name === form.x)!;
  return { title: about.title, form, kind, all: points, ...selectWholeDays(points, about) };
}

/** The points without those of days that are known in part only, and how many such days there are. */
function selectWholeDays(
  points: readonly Point[],
  { isPartDay = () => false }: Pick<About, "isPartDay">,
): { readonly points: readonly Point[]; readonly leftOut: number } {
  const whole = points.filter(({ x }) => !isPartDay(x));
  const countDays = (some: readonly Point[]): number => new Set(some.map(({ x }) => x)).size;
  return { points: whole, leftOut: countDays(points) - countDays(whole) };
}

/** Describes days that a chart omits; empty if none. */
function formatLeftOut(leftOut: number): string {
  if (leftOut === 0) return "";
  return leftOut === 1
    ? "1 incomplete day is not drawn"
    : `${leftOut} incomplete days are not drawn`;
}

/** Renders the declared chart of a report as SVG; throws UsageError if it cannot be drawn. */
export const renderSvg: Render = async function* (result, { about }) {
  const { title, form, kind, all } = await readDeclaredChart(result, about);
  const drawable = buildChart(form, kind, all, { label: title, ...about });
  yield `${getMarkupText(drawPicture(title, drawable, writeNotes(form, drawable)))}\n`;
};
