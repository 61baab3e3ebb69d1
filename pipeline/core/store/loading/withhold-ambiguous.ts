import type { DuckDBConnection } from "@duckdb/node-api";
import type { ReadFacts, ReadResult } from "./read-facts.ts";
import { queryFile } from "../../../base/sql/statements.ts";

export type Ambiguous = Pick<ReadResult, "ambiguous" | "withheld">;

/**
 * Looks for equal records on different pages of a read: pages shift while they are read, so they may be one
 * event seen twice. Those without an id come in only with a read that repeats the one before it. A file does
 * not change while it is read, so its equal records are events of their own. Returns how many records inside the
 * window make the read ambiguous, and how many were left out.
 */
export async function withholdAmbiguous(
  connection: DuckDBConnection,
  read: ReadFacts,
  repeats: boolean,
): Promise<Ambiguous> {
  const [row] = await queryFile(connection, "queries/load/ambiguous.sql", {
    read_id: read.readId,
    window_start: read.windowStart,
    window_end: read.windowEnd,
    keep_inside: repeats || read.windowStart === null,
  });
  return { ambiguous: Number(row?.["ambiguous"]), withheld: Number(row?.["withheld"]) };
}
