import type { DuckDBConnection } from "@duckdb/node-api";
import { cellOf } from "./cells.ts";

const newest = "select max(least(window_end, last_read_at)) from ingest_windows";

/** The time up to which the service was read, `2026-01-31T00:00:00Z`; undefined where it is not known. */
export async function dataUpTo(connection: DuckDBConnection): Promise<string | undefined> {
  try {
    const reader = await connection.runAndReadAll(newest);
    const value = reader.getRows()[0]?.[0] ?? null;
    return value === null ? undefined : String(cellOf(value, reader.columnType(0)));
  } catch {
    // A footnote: a file without the ledger is still worth a report.
    return undefined;
  }
}
