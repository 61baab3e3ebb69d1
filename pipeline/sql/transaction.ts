import type { DuckDBConnection } from "@duckdb/node-api";

const guards = new WeakMap<DuckDBConnection, () => void>();

/** Has a check made before each commit of a connection: where it throws, nothing is stored. */
export function guardCommits(connection: DuckDBConnection, check: () => void): void {
  guards.set(connection, check);
}

const open = new WeakSet<DuckDBConnection>();

/**
 * Does the work in one transaction, which is undone where the work throws; returns what came of it. Inside another one
 * it is a part of that, and is undone with it.
 */
export async function inTransaction<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
): Promise<T> {
  if (open.has(connection)) return work();
  await connection.run("begin");
  open.add(connection);
  try {
    const done = await work();
    guards.get(connection)?.();
    await connection.run("commit");
    return done;
  } catch (error) {
    await connection.run("rollback").catch(() => undefined);
    throw error;
  } finally {
    open.delete(connection);
  }
}
