import type { DuckDBConnection } from "@duckdb/node-api";
import { runInTransaction } from "../../pipeline/base/sql/transaction.ts";

/** Runs work in a transaction that is rolled back at its end; rethrows its error. */
export async function undone(
  connection: DuckDBConnection,
  work: () => Promise<void>,
): Promise<void> {
  const end = new Error("undone");
  const working = async (): Promise<never> => {
    await work();
    throw end;
  };
  await runInTransaction(connection, working).catch((error: unknown) => {
    if (error !== end) throw error;
  });
}
