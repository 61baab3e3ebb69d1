import type { DuckDBConnection } from "@duckdb/node-api";

const guards = new WeakMap<DuckDBConnection, () => void>();

/** Has a check made before each commit of a connection: where it throws, nothing is stored. */
export function guardCommits(connection: DuckDBConnection, check: () => void): void {
  guards.set(connection, check);
}

const open = new WeakSet<DuckDBConnection>();
const undoing = new WeakSet<DuckDBConnection>();

/** Whether a connection is undoing a transaction just now: an interrupt would leave it as it is, aborted. */
export function isUndoing(connection: DuckDBConnection): boolean {
  return undoing.has(connection);
}

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
    await undo(connection);
    throw error;
  } finally {
    open.delete(connection);
  }
}

async function undo(connection: DuckDBConnection): Promise<void> {
  undoing.add(connection);
  await connection.run("rollback").catch(() => undefined);
  undoing.delete(connection);
}
