import type { DuckDBConnection } from "@duckdb/node-api";
import { count, queryRows, text, type TypedRow } from "../../base/sql/typed-rows.ts";

const shape = { eventName: text, events: count, firstAt: text, lastAt: text };

/** An event type that the reference does not have. */
export type UnknownType = TypedRow<typeof shape>;

/** Reads the most frequent event types that the reference does not have. */
export async function readUnknownTypes(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<UnknownType[]> {
  const path = "queries/pages/pipeline.sql#unknown";
  return queryRows(connection, path, shape, { source: source ?? null });
}
