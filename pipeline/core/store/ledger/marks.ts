import type { DuckDBConnection } from "@duckdb/node-api";
import type { CoveredInterval } from "./coverage.ts";
import type { WindowState } from "./record.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";
import type { Interval } from "../../../base/time/periods.ts";

/**
 * An interval that counts as final, or no longer as pending, regardless of its reads. With `dated_ahead`, the run's
 * reads of it prove nothing. Times are SQL timestamps in UTC.
 */
export type Mark = {
  readonly mark_id: string;
  readonly run_id: string;
  readonly source: string;
  readonly start: string;
  readonly end: string;
  readonly state: "gap" | "accepted" | "dated_ahead";
  readonly marked_at: string;
  readonly note: string;
};

/** Puts a mark into the ledger; it counts until a later read of the interval. */
export async function recordMark(connection: DuckDBConnection, mark: Mark): Promise<void> {
  const { mark_id, run_id, source, start, end, state, marked_at, note } = mark;
  if (state === "dated_ahead") {
    const values = { source, run_id, start, found_at: marked_at };
    await runFile(connection, "queries/load/runs.sql#void", values);
    return;
  }
  const values = { mark_id, run_id, source, start, end, state, marked_at, note };
  await runFile(connection, "queries/load/windows.sql#record_mark", values);
}

/**
 * Lists intervals requested by scheduled runs that are not final and start before a moment; on request also unread
 * intervals.
 */
export async function listOverdue(
  connection: DuckDBConnection,
  source: string,
  beforeMs: number,
  withUnread: boolean,
): Promise<Interval[]> {
  const rows = await queryFile(connection, "queries/load/windows.sql#overdue", {
    source,
    before_ms: BigInt(Math.max(0, beforeMs)),
    with_unread: withUnread,
  });
  return joinIntervals(rows.map(toInterval));
}

/** The runs of a source whose reads are dated after a moment, with the range of their windows. */
export async function listRunsDatedAfter(
  connection: DuckDBConnection,
  source: string,
  nowMs: number,
): Promise<Pick<Mark, "run_id" | "start" | "end">[]> {
  const values = { source, now_ms: BigInt(nowMs) };
  const rows = await queryFile(connection, "queries/load/runs.sql#dated_ahead", values);
  return rows.map((row) => ({
    run_id: String(row["run_id"]),
    start: String(row["range_start"]),
    end: String(row["range_end"]),
  }));
}

/** Lists the states of the parts of a range, oldest first; parts without a read or mark are left out. */
export async function listStates(
  connection: DuckDBConnection,
  source: string,
  { startMs, endMs }: Interval,
): Promise<(Interval & { readonly state: CoveredInterval["state"] | "unread" })[]> {
  const values = { source, from_ms: BigInt(startMs), to_ms: BigInt(endMs) };
  const rows = await queryFile(connection, "queries/load/windows.sql#states", values);
  return rows.map((row) => ({
    ...toInterval(row),
    state: String(row["state"]) as WindowState | "unread",
  }));
}

/** Intervals that touch each other as one. */
export function joinIntervals(intervals: readonly Interval[]): Interval[] {
  const all: Interval[] = [];
  for (const interval of intervals) {
    const last = all.at(-1);
    if (last?.endMs === interval.startMs)
      all[all.length - 1] = { startMs: last.startMs, endMs: interval.endMs };
    else all.push(interval);
  }
  return all;
}

function toInterval(row: Readonly<Record<string, unknown>>): Interval {
  return { startMs: Number(row["start_ms"]), endMs: Number(row["end_ms"]) };
}
