import type { Interval } from "../../base/time/periods.ts";

/** The windows of a grid that cover a range, oldest first; the grid starts at the epoch, in UTC. */
export function splitIntoWindows(range: Interval, windowMs: number): Interval[] {
  const first = Math.floor(range.startMs / windowMs) * windowMs;
  const count = Math.max(0, Math.ceil((range.endMs - first) / windowMs));
  return Array.from({ length: count }, (_, i) => ({
    startMs: first + i * windowMs,
    endMs: first + (i + 1) * windowMs,
  }));
}

/** The scheduled range: from the oldest of (where the last run left off, now − look-back) to now. */
export function planScheduledRange(
  resumeMs: number | undefined,
  lookbackMs: number,
  nowMs: number,
): Interval {
  return { startMs: Math.min(resumeMs ?? Infinity, nowMs - lookbackMs), endMs: nowMs };
}

/** Where the first of so many equal parts of a window ends, in whole seconds. */
export function splitOffShare({ startMs, endMs }: Interval, parts: number): number {
  return Math.floor((startMs + (endMs - startMs) / parts) / 1000) * 1000;
}

/**
 * The parts of a window that is too dense for one read. They follow the given splits where some lie inside, else they
 * are its two halves, in whole seconds. Undefined for a window that lies within one second, which is as fine as times
 * are.
 */
export function splitWindow(
  { startMs, endMs }: Interval,
  splitsMs: readonly number[] = [],
): Interval[] | undefined {
  const middleMs = Math.floor((startMs + endMs) / 2000) * 1000;
  const inside = splitsMs.filter((splitMs) => splitMs > startMs && splitMs < endMs);
  const halves = middleMs > startMs ? [middleMs] : [];
  const edges = [startMs, ...(inside.length > 0 ? inside : halves), endMs];
  if (edges.length === 2) return undefined;
  return edges.slice(1).map((edgeMs, i) => ({ startMs: edges[i]!, endMs: edgeMs }));
}
