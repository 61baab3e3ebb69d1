import type { DuckDBConnection } from "@duckdb/node-api";
import type { WindowState } from "./record.ts";
import { queryFile } from "../../../base/sql/statements.ts";
import type { Interval } from "../../../base/time/periods.ts";

// What of a source's time was read. All times are milliseconds since the epoch.

/** An interval of time and the state of its newest read. */
export type HeldInterval = Interval & {
  readonly state: WindowState;
};

/** How far the scheduled reading has come. */
export type Watermark = {
  /** The newest interval without a gap that is final; undefined before the first final window. */
  readonly final: Interval | undefined;
  /** Where the next scheduled run goes on; undefined before the first one. */
  readonly resumeMs: number | undefined;
};

/** How far the scheduled reading of a source has come. */
export async function watermarkOf(
  connection: DuckDBConnection,
  source: string,
): Promise<Watermark> {
  const [row] = await queryFile(connection, "queries/load/watermark.sql", { source });
  const msOf = (name: string): number | undefined => {
    const value = row?.[name] ?? null;
    return value === null ? undefined : Number(value);
  };
  const [startMs, endMs] = [msOf("final_from_ms"), msOf("final_ms")];
  const final = startMs === undefined || endMs === undefined ? undefined : { startMs, endMs };
  return { final, resumeMs: msOf("resume_ms") };
}

/** Events that a run took over outside its windows, in time that is final; undefined where there are none. */
export async function lateArrivalsIn(
  connection: DuckDBConnection,
  runId: string,
  final: Interval,
): Promise<
  { readonly events: number; readonly firstMs: number; readonly lastMs: number } | undefined
> {
  const values = {
    run_id: runId,
    from_ms: BigInt(final.startMs),
    to_ms: BigInt(final.endMs),
  };
  const [row] = await queryFile(connection, "queries/load/runs.sql#late_arriving", values);
  const events = Number(row!["events"]);
  if (events === 0) return undefined;
  return { events, firstMs: Number(row!["first_ms"]), lastMs: Number(row!["last_ms"]) };
}

/** How many events a run brought, and how many of them share their id with another event. */
export async function conflictsIn(
  connection: DuckDBConnection,
  runId: string,
  source: string,
): Promise<{ readonly inserted: number; readonly conflicts: number }> {
  const values = { run_id: runId, source };
  const [row] = await queryFile(connection, "queries/load/runs.sql#conflicts", values);
  return { inserted: Number(row!["inserted"]), conflicts: Number(row!["conflicts"]) };
}

/** When a source was last read, by the clock of the machine that did; undefined before. */
export async function newestReadOf(
  connection: DuckDBConnection,
  source: string,
): Promise<number | undefined> {
  const [row] = await queryFile(connection, "queries/load/reads.sql#newest", { source });
  const value = row?.["newest_ms"] ?? null;
  return value === null ? undefined : Number(value);
}

/** The intervals that were read between two moments, oldest first, without overlap. */
export async function heldIntervals(
  connection: DuckDBConnection,
  source: string,
  fromMs: number,
  toMs: number,
): Promise<HeldInterval[]> {
  const rows = await queryFile(connection, "queries/load/windows.sql#held", {
    source,
    from_ms: BigInt(fromMs),
    to_ms: BigInt(toMs),
  });
  return rows.map((row) => ({
    startMs: Number(row["start_ms"]),
    endMs: Number(row["end_ms"]),
    state: String(row["state"]) as WindowState,
  }));
}
