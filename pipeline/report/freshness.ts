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

/** True where no event was ever loaded, as after a first run that failed: then no rows mean nothing. */
export async function isEmpty(connection: DuckDBConnection): Promise<boolean> {
  try {
    const reader = await connection.runAndReadAll("select count(*) from event_rows");
    return Number(reader.getRows()[0]?.[0]) === 0;
  } catch {
    return false;
  }
}

/** What to say of an answer from a database that holds nothing. */
export const emptyWarning =
  "warning: no event is loaded yet, so no rows mean nothing; auditlake status says what runs came to";
