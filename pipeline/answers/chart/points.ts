import type { Cell, Column, ColumnKind, Row } from "../../base/rows/row.ts";
import { listChartColumns, type ChartForm } from "../../base/report/chart-form.ts";

/** One mark of a chart: the sum of the rows that share `x` and what they are stacked by. */
export type Point = { readonly x: string; readonly series: string | null; readonly y: number };

/** Adds up the rows of a chart as they come, so that they need not lie in memory. */
export type PointSum = {
  readonly add: (rows: readonly Row[]) => void;
  /** The points in the order of their first rows; undefined where there are more than a chart can hold. */
  readonly points: () => Point[] | undefined;
};

/** The most marks along an axis: more marks than pixels show nothing, and take minutes to draw. */
export const maxMarks = 2000;

// Of names only the greatest are shown, so the sums of all names have to be known first.
const maxNames = 200_000;

type Sums = Map<string, Point & { readonly source: string }>;

/**
 * Sums `y` over the rows of each `x` and series; undefined if the rows do not have a column. Rows of several sources
 * are series of their own.
 */
export function newPointSum(form: ChartForm, columns: readonly Column[]): PointSum | undefined {
  const findColumn = (name: string): number => columns.findIndex((c) => c.name === name);
  if (listChartColumns(form).some((name) => findColumn(name) < 0)) return undefined;
  const places = [form.x, form.y, form.stack ?? "", "source"].map(findColumn);
  const most = isAlongAxis(form, columns[places[0]!]!.kind) ? maxMarks : maxNames;
  const sums: Sums = new Map();
  const names = new Set<string>();
  const add = (rows: readonly Row[]): void => {
    for (const row of rows) {
      const [x, y, series, source] = places.map((place) => (place < 0 ? undefined : row[place]!));
      const name = formatName(x!);
      // The number of rows, where no column is of that name.
      const value = y === undefined ? 1 : Number(y ?? 0);
      if (names.size > most || !Number.isFinite(value)) continue;
      names.add(name);
      const point = { x: name, series: series === undefined ? null : formatName(series), y: value };
      addPoint(sums, { ...point, source: formatName(source ?? null) });
    }
  };
  return { add, points: () => (names.size > most ? undefined : listPoints(sums)) };
}

function addPoint(sums: Sums, point: Point & { readonly source: string }): void {
  const key = JSON.stringify([point.x, point.series, point.source]);
  const y = (sums.get(key)?.y ?? 0) + point.y;
  if (Number.isFinite(y)) sums.set(key, { ...point, y });
}

function listPoints(sums: Sums): Point[] {
  const all = [...sums.values()];
  const areSeveral = new Set(all.map(({ source }) => source)).size > 1;
  return all.map(({ x, series, y, source }) => {
    const own = series === null ? source : `${series} (${source})`;
    return { x, series: areSeveral ? own : series, y };
  });
}

/** Decides whether the points are placed along an axis in their order; else they are names, the greatest first. */
export function isAlongAxis({ kind }: ChartForm, x: ColumnKind): boolean {
  return kind === "line" || kind === "heat" || x === "time" || x === "number";
}

function formatName(cell: Cell): string {
  return cell === null ? "none" : String(cell);
}

/** The most bars of a chart of names. */
export const maxBars = 15;

export function listGreatest(points: readonly Point[]): string[] {
  return rankNames(points, ({ x }) => x).slice(0, maxBars);
}

// More colours cannot be distinguished.
const maxSeries = 6;
/** The series of all smaller ones. */
export const others = "others";

/** Merges points into at most six series, largest first; smaller ones become one series. */
export function mergeSeries(points: readonly Point[]): {
  readonly points: readonly Point[];
  readonly series: readonly string[];
} {
  const all = rankNames(
    points.filter(({ series }) => series !== null),
    ({ series }) => series!,
  );
  if (all.length <= maxSeries) return { points, series: all };
  const own = new Set(all.slice(0, maxSeries - 1));
  const merged = new Map<string, Point>();
  for (const point of points) {
    const series = own.has(point.series ?? others) ? point.series : others;
    const key = JSON.stringify([point.x, series]);
    merged.set(key, { x: point.x, series, y: (merged.get(key)?.y ?? 0) + point.y });
  }
  return { points: [...merged.values()], series: [...own, others] };
}

function rankNames(points: readonly Point[], nameOfPoint: (point: Point) => string): string[] {
  const sums = new Map<string, number>();
  for (const point of points) {
    const name = nameOfPoint(point);
    sums.set(name, (sums.get(name) ?? 0) + point.y);
  }
  const order = [...sums].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return order.map(([name]) => name);
}
