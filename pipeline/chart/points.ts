import type { Cell, Column, ColumnKind, Row } from "../rows/row.ts";

/** What a report declares of its chart: `-- chart: kind x y`. */
export type ChartForm = { readonly kind: string; readonly x: string; readonly y: string };

/** One mark of a chart: the sum of the rows that share `x`. */
export type Point = { readonly x: string; readonly y: number };

/** Adds up the rows of a chart as they come, so that they need not lie in memory. */
export type PointSum = {
  readonly add: (rows: readonly Row[]) => void;
  /** The points in the order of their first rows; undefined where there are more than a chart can hold. */
  readonly points: () => Point[] | undefined;
};

/** Stands for the number of rows where a chart names no column of amounts. */
const countName = "rows";

/** The most marks along an axis: more marks than pixels show nothing, and take minutes to draw. */
export const maxMarks = 2000;

// Of names only the greatest are shown, so the sums of all names have to be known first.
const maxNames = 200_000;

/** Sums `y` over the rows of each `x`; undefined where the rows lack one of the two columns. */
export function newPointSum(form: ChartForm, columns: readonly Column[]): PointSum | undefined {
  const [x, y] = [form.x, form.y].map((name) => columns.findIndex((c) => c.name === name));
  const isCount = form.y === countName && y === -1;
  if (x === undefined || y === undefined || x < 0 || (y < 0 && !isCount)) return undefined;
  const most = isAlongAxis(form, columns[x]!.kind) ? maxMarks : maxNames;
  const sums = new Map<string, number>();
  const add = (rows: readonly Row[]): void => {
    for (const row of rows) {
      if (sums.size > most) return;
      const [name, value] = [nameOf(row[x]!), isCount ? 1 : Number(row[y] ?? 0)];
      const sum = (sums.get(name) ?? 0) + value;
      if (Number.isFinite(sum)) sums.set(name, sum);
    }
  };
  const points = (): Point[] => [...sums].map(([name, sum]) => ({ x: name, y: sum }));
  return { add, points: () => (sums.size > most ? undefined : points()) };
}

/** Whether the points stand along an axis in their order; else they are names, the greatest first. */
export function isAlongAxis({ kind }: ChartForm, x: ColumnKind): boolean {
  return kind === "line" || x === "time" || x === "number";
}

function nameOf(cell: Cell): string {
  return cell === null ? "none" : String(cell);
}

/** The most bars of a chart of names. */
export const maxBars = 15;

/** The greatest points, the greatest first. */
export function greatest(points: readonly Point[]): Point[] {
  return points.toSorted((a, b) => b.y - a.y || (a.x < b.x ? -1 : 1)).slice(0, maxBars);
}
