import type { DuckDBConnection } from "@duckdb/node-api";
import { runFile } from "../../../base/sql/statements.ts";

/** Ends in the ledger the runs whose process was killed; only the holder of the run lock can tell them. */
export async function endAbandoned(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, "queries/load/runs.sql#end_abandoned");
}
