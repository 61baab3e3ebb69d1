import type { DuckDBConnection } from "@duckdb/node-api";

// A thread of the database that has nothing to do waits by spinning (github.com/duckdb/duckdb/issues/22178). Over many
// short statements a second thread takes a third more of the processor, and saves nothing. So a load has one thread,
// and more where a statement is long.

/** How a database was opened. */
export type OpenedThreads = {
  /** How many it may have; undefined stands for one for each processor. */
  readonly most: number | undefined;
  readonly first: "one" | "all";
};

const opened = new WeakMap<DuckDBConnection, OpenedThreads>();
const used = new WeakMap<DuckDBConnection, "one" | "all">();

/** Notes with which threads the database of a connection was opened; nothing noted stands for all. */
export function noteThreads(connection: DuckDBConnection, threads: OpenedThreads): void {
  opened.set(connection, threads);
}

/** Has the statements of a connection that loads done by one thread, or by all that the database may use. */
export async function useThreads(
  connection: DuckDBConnection,
  wanted: "one" | "all",
): Promise<void> {
  // To change the number takes as long as to load some hundred records.
  const { most, first } = opened.get(connection) ?? { most: undefined, first: "all" };
  if (wanted === (used.get(connection) ?? first)) return;
  const count = wanted === "one" ? 1 : most;
  await connection.run(count === undefined ? "reset threads" : `set threads = ${count}`);
  used.set(connection, wanted);
}
