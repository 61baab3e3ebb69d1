import type { DuckDBConnection } from "@duckdb/node-api";
import { queryRows, text, type TypedRow } from "../../base/sql/typed-rows.ts";

const shape = { findingId: text, decidedBy: text, decidedAt: text, decision: text };

/** Reads the decisions on the state of findings after a moment, as the database writes it; empty for all. */
export async function readQueueDecisions(
  connection: DuckDBConnection,
  ids: readonly string[],
  since: string,
): Promise<TypedRow<typeof shape>[]> {
  return queryRows(connection, "queries/pages/queue.sql#overtaken", shape, {
    ids: ids.join(","),
    since: since === "" ? null : since,
  });
}
