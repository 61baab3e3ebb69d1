import type { DuckDBConnection } from "@duckdb/node-api";
import { type Facts, factsOf } from "../../base/sql/facts.ts";
import { runFile } from "../../base/sql/statements.ts";

/** Fills the table of windows that the queries of `queries/status/` ask, with those of one source or of all. */
export async function knowWindows(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<void> {
  await runFile(connection, "queries/status/known_windows.sql", { source: source ?? null });
}

/**
 * How many events there are of each source, and from when to when. All events are read only where the ledger knows
 * several sources: of one, the database has the answer in its headers.
 */
export async function storedEvents(
  connection: DuckDBConnection,
  sources: readonly string[],
): Promise<ReadonlyMap<string, Facts>> {
  const [only] = sources;
  if (only === undefined) return new Map();
  if (sources.length === 1) {
    const [all] = await factsOf(connection, "queries/status/stored_all.sql", {});
    return new Map([[only, all!]]);
  }
  const stored = await factsOf(connection, "queries/status/stored.sql", {});
  return new Map(stored.map(({ source, ...events }) => [String(source), events]));
}
