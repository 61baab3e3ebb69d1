import type { DuckDBConnection } from "@duckdb/node-api";

// A thread of the database that has nothing to do waits by spinning (github.com/duckdb/duckdb/issues/22178). Over many
// short statements a second thread takes a third more of the processor, and saves nothing. So a load has one thread,
// and more where a statement is long.

const allowed = new WeakMap<DuckDBConnection, number>();
const used = new WeakMap<DuckDBConnection, "one" | "all">();

/** Notes how many threads a database was opened with, where that is not one for each processor. */
export function allowThreads(connection: DuckDBConnection, threads: number): void {
  allowed.set(connection, threads);
}

/** Has the statements of a connection that loads done by one thread, or by all that the database may use. */
export async function useThreads(
  connection: DuckDBConnection,
  wanted: "one" | "all",
): Promise<void> {
  // To change the number takes as long as to load some hundred records.
  if (wanted === (used.get(connection) ?? "all")) return;
  const count = wanted === "one" ? 1 : allowed.get(connection);
  await connection.run(count === undefined ? "reset threads" : `set threads = ${count}`);
  used.set(connection, wanted);
}
