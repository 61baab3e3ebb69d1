import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";
import { getMessage } from "../errors.ts";
import { quoteName } from "../../../schemas/quote.ts";

// The library decodes each text with one `TextDecoder`, which takes a first U+FEFF for the mark of a file and drops it
// (@duckdb/node-api 1.5.6, lib/vectors/dataAccessors.js). Two texts that differ in it alone would come out as one.
Object.assign(accessors, { textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }) });

/** Opens a database that returns texts unchanged. */
export async function openInstance(
  path: string,
  options: Readonly<Record<string, string>>,
): Promise<DuckDBInstance> {
  return DuckDBInstance.create(path, options);
}

// A thread of the database that has nothing to do waits by spinning (github.com/duckdb/duckdb/issues/22178). Over many
// short statements a second thread takes a third more of the processor, and saves nothing. So a load has one thread,
// and more where a statement is long.

/** How a database was opened. */
export type OpenedThreads = {
  /** Maximum of threads; undefined means one for each processor. */
  readonly most: number | undefined;
  readonly first: "one" | "all";
};

const opened = new WeakMap<DuckDBConnection, OpenedThreads>();
const used = new WeakMap<DuckDBConnection, "one" | "all">();

/** Records with which threads the database of a connection was opened; without a record, with all. */
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

/** Whether there is a table or view. The database's own list takes ten times as long: it looks at what each one holds. */
export async function hasTable(connection: DuckDBConnection, name: string): Promise<boolean> {
  try {
    await connection.run(`select 1 from ${quoteName(name)} limit 0`);
    return true;
  } catch (error) {
    if (getMessage(error).startsWith("Catalog Error: Table with name")) return false;
    throw error;
  }
}
