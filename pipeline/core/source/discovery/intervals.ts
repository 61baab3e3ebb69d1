import type { SeenRecord } from "./seen.ts";
import type { Interval } from "../../../base/time/interval.ts";

/** Texts of records in the order of a list, each as often as it stands there. */
export function sameRecords(a: readonly SeenRecord[], b: readonly SeenRecord[]): boolean {
  if (a.length !== b.length) return false;
  const other = b.map(({ text }) => text).toSorted();
  return a
    .map(({ text }) => text)
    .toSorted()
    .every((text, i) => text === other[i]);
}

/** The records of a list that lie in a window. */
export function within(records: readonly SeenRecord[], { startMs, endMs }: Interval): SeenRecord[] {
  return records.filter(({ ms }) => ms !== undefined && ms >= startMs && ms < endMs);
}

/** Whether records come in the order of their times: the older first, the newer first, or neither. */
export function orderOf(records: readonly SeenRecord[]): "rising" | "falling" | undefined {
  const times = records.map(({ ms }) => ms ?? NaN);
  const holds = (isNext: (a: number, b: number) => boolean): boolean =>
    times.slice(1).every((ms, i) => isNext(times[i]!, ms));
  if (holds((a, b) => a <= b)) return "rising";
  return holds((a, b) => a >= b) ? "falling" : undefined;
}

/**
 * Up to `most` windows in a row that together hold what a page shows. Its first and its last second are left out, whose
 * records may go on behind the page. Each begins at the time of a record.
 */
export function intervalsOf(records: readonly SeenRecord[], most: number): Interval[] {
  const seconds = records.flatMap(({ ms }) => (ms === undefined ? [] : [Math.floor(ms / 1000)]));
  const all = [...new Set(seconds)].toSorted((a, b) => a - b);
  const inner = all.slice(1, endOf(all));
  if (inner.length === 0) return [];
  const count = Math.max(1, Math.min(most, Math.floor(inner.length / 2)));
  const edges = Array.from(
    { length: count },
    (_, i) => inner[Math.floor((i * inner.length) / count)]!,
  );
  return edges.map((startS, i) => ({
    startMs: startS * 1000,
    endMs: (edges[i + 1] ?? inner.at(-1)! + 1) * 1000,
  }));
}

// A window should not end right where the next record is: to some services its last second belongs to it.
function endOf(seconds: readonly number[]): number {
  const gap = seconds.findLastIndex((at, i) => (seconds[i + 1] ?? at) > at + 1);
  return gap > seconds.length / 2 ? gap + 1 : -1;
}
