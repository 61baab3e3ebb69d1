import type { DuckDBConnection } from "@duckdb/node-api";
import { queryFile, runFile } from "../../../base/sql/statements.ts";

/** What names the records of a source in the store; null where it is `id`. */
export type SourceId = { readonly idAt: string | null; readonly hasReads: boolean };

/** Returns what names the stored records of a source. */
export async function readSourceId(
  connection: DuckDBConnection,
  source: string,
): Promise<SourceId> {
  const [row] = await queryFile(connection, "queries/load/ids.sql#of_source", { source });
  const idAt = row?.["id_at"] ?? null;
  return { idAt: idAt === null ? null : String(idAt), hasReads: row?.["has_reads"] === true };
}

/** Records what names the records of a source from now on. */
export async function recordSourceId(
  connection: DuckDBConnection,
  source: string,
  idAt: string,
): Promise<void> {
  await runFile(connection, "queries/load/ids.sql#record", { source, id_at: idAt });
}

/** Returns what names the records of each source where it is not `id`. */
export async function listSourceIds(connection: DuckDBConnection): Promise<Map<string, string>> {
  const rows = await queryFile(connection, "queries/load/ids.sql#all");
  return new Map(rows.map((row) => [String(row["source"]), String(row["id_at"])]));
}

/** Counts the records that a run took for known although their unknown fields differ from those of all stored ones. */
export async function unlikeIn(connection: DuckDBConnection, runId: string): Promise<number> {
  const [row] = await queryFile(connection, "queries/load/runs.sql#unlike", { run_id: runId });
  return Number(row?.["unlike"]);
}
