import type { DuckDBConnection } from "@duckdb/node-api";
import { runInTransaction } from "../../pipeline/base/sql/transaction.ts";

/** Does work in a transaction that is undone at its end; throws what the work throws. */
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
