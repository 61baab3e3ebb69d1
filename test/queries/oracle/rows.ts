import type { RawRecord, User } from "./record.ts";

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** The range is half-open, milliseconds since the epoch; the other parameters by their names. */
export type Params = {
  readonly since: number;
  readonly until: number;
  readonly [name: string]: number | string;
};

/** Computes the rows of a report from raw records, in the report's order, without its column `source`. */
export type Oracle = (
  records: readonly RawRecord[],
  users: readonly User[],
  params: Params,
) => Row[];

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Splits the items by a key of several cells and turns every group into a row or nothing. */
export function rowsBy<T>(
  items: readonly T[],
  key: (item: T) => readonly Cell[],
  toRow: (group: readonly [T, ...T[]]) => Row | null,
): Row[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(key(item)));
  return [...groups.values()].map((g) => toRow(g as [T, ...T[]])).filter((row) => row !== null);
}

/** Sorts by the named columns, in that order; a name with a minus sorts downwards; null comes last. */
export function sort(rows: readonly Row[], by: string): Row[] {
  const columns = by
    .split(" ")
    .map((name) => ({ name: name.replace("-", ""), down: name.startsWith("-") }));
  return rows.toSorted((a, b) => {
    for (const { name, down } of columns) {
      const order = compare(a[name] ?? null, b[name] ?? null, down);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function compare(a: Cell, b: Cell, down: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  const order =
    typeof a === "string"
      ? Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
      : Number(a) - Number(b);
  return down ? -order : order;
}

/** The number of different values, null left out. */
export function distinct(values: readonly Cell[]): number {
  return new Set(values.filter((v) => v !== null)).size;
}

/** Returns the largest user id of a group, as a number of any size in text; null if no user is named. */
export function largestId(ids: readonly (string | null)[]): string | null {
  const known = ids.filter((id) => id !== null).map(BigInt);
  return known.length === 0 ? null : String(known.reduce((a, b) => (a > b ? a : b)));
}

/** The sum of the numbers, null counting nothing. */
export function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

/** A moment as the database writes it: `2026-04-20 15:30:00`, in UTC. */
export function stamp(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace("Z", "")
    .replace(/\.?0+$/, "");
}

/** The first and the last moment of a group, under the names that reports use. */
export function span(times: readonly number[]): { first_at: string; last_at: string } {
  return {
    first_at: stamp(times.reduce((a, b) => Math.min(a, b))),
    last_at: stamp(times.reduce((a, b) => Math.max(a, b))),
  };
}

/** Whether the moment lies in the range. */
export function within({ since, until }: Params, time: number): boolean {
  return time >= since && time < until;
}
