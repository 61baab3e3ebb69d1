import type { DuckDBConnection } from "@duckdb/node-api";

/** Does the work in one transaction, which is undone where the work throws; returns what came of it. */
export async function inTransaction<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
): Promise<T> {
  await connection.run("begin");
  try {
    const done = await work();
    await connection.run("commit");
    return done;
  } catch (error) {
    await connection.run("rollback").catch(() => undefined);
    throw error;
  }
}
