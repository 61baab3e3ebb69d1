import { ResultReturnType, type DuckDBResult } from "@duckdb/node-api";
import { AuditlakeError, messageOf } from "../errors.ts";

/**
 * Call it when a streamed result gives no more rows: throws where that is because the query failed, and not because all
 * rows were read. The driver ends both alike and keeps the reason to itself (as in
 * github.com/duckdb/duckdb-rs/pull/832, seen with @duckdb/node-api 1.5.6). So `again` is to do the query once more,
 * without giving out its rows.
 */
export async function assertReadToEnd(
  result: DuckDBResult,
  again: () => Promise<unknown>,
): Promise<void> {
  if (result.returnType !== ResultReturnType.INVALID) return;
  try {
    await again();
  } catch (error) {
    // Inside a transaction the failure has ended it, and nothing can be done again.
    if (!/transaction is aborted/i.test(messageOf(error))) throw error;
  }
  throw new AuditlakeError(
    "the database broke the query off before its last row and gives no reason; try again, with a higher memory_limit if it stays so",
  );
}
