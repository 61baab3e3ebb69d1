import type { DuckDBConnection } from "@duckdb/node-api";

// A thread of the database that has nothing to do waits by spinning (github.com/duckdb/duckdb/issues/22178). Over many
// short statements a second thread takes a third more of the processor, and saves nothing. So a load has one thread,
// and more where a statement is long.

type Threads = { readonly all: number; now: number };

const known = new WeakMap<DuckDBConnection, Threads>();

/** Has the statements of a connection that loads done by one thread, or by all that the database may use. */
export async function useThreads(
  connection: DuckDBConnection,
  wanted: "one" | "all",
): Promise<void> {
  const threads = known.get(connection) ?? (await threadsOf(connection));
  const count = wanted === "one" ? 1 : threads.all;
  // To change the number takes as long as to load some hundred records.
  if (count !== threads.now) await connection.run(`set threads = ${count}`);
  known.set(connection, { ...threads, now: count });
}

async function threadsOf(connection: DuckDBConnection): Promise<Threads> {
  const reader = await connection.runAndReadAll("select current_setting('threads')");
  const all = Number(reader.getRows()[0]?.[0]);
  return { all, now: all };
}
