import type { DuckDBConnection } from "@duckdb/node-api";
import { useThreads } from "../../base/sql/instance.ts";
import type { Publisher } from "./publisher.ts";
import type { Relation } from "./relation.ts";

/** Connections that each know the relation, and write a day at a time. */
export type Writers = AsyncDisposable & { readonly connections: readonly DuckDBConnection[] };

/**
 * Connections that write so many days, one beside the other. Threads that share the few rows of a day take half as much
 * processor time again as one does. So each connection has one where there are days for all.
 */
export async function openWriters(
  { connection, connect }: Publisher,
  relation: Relation,
  days: number,
): Promise<Writers> {
  // However small the file is: a store of objects is waited for.
  await useThreads(connection, "all");
  const threads = await threadsOf(connection);
  // What was folded into a temporary table is known to the connection alone that made it.
  if (relation.kind === "table" || days < threads || threads === 1)
    return { connections: [connection], [Symbol.asyncDispose]: () => Promise.resolve() };
  const others = await Promise.all(Array.from({ length: threads - 1 }, connect));
  for (const other of others) await other.run(relation.made);
  await connection.run("set threads = 1");
  return {
    connections: [connection, ...others],
    [Symbol.asyncDispose]: async () => {
      for (const other of others) other.closeSync();
      await connection.run(`set threads = ${threads}`);
    },
  };
}

async function threadsOf(connection: DuckDBConnection): Promise<number> {
  const found = await connection.runAndReadAll("select current_setting('threads')");
  return Number(found.getRows()[0]![0]);
}
