import { type DuckDBConnection, type DuckDBPreparedStatement, VARCHAR } from "@duckdb/node-api";
import { queryFailure } from "../failure.ts";
import type { RowCount, RowLimit } from "../limit.ts";
import { bind, interruptOn, prepareSelect, type Statement } from "../run.ts";

/**
 * Writes the rows of one SELECT as Parquet into a file that exists already, and counts them.
 * The database writes it itself, so types stay what they are and rows never pass through here.
 */
export async function copyToParquet(
  connection: DuckDBConnection,
  { sql, values }: Statement,
  path: string,
  limit: RowLimit = "all",
  signal?: AbortSignal,
): Promise<RowCount> {
  const stopListening = interruptOn(connection, signal);
  try {
    (await prepareSelect(connection, sql)).destroySync();
    const copy = await prepareCopy(connection, sql, limit);
    bind(copy, { ...values, parquet_file: { type: VARCHAR, value: path } });
    const [row] = await (await copy.run()).getRows();
    const shown = Number(row?.[0] ?? 0);
    return { shown, total: limit === "all" || shown < limit ? shown : undefined };
  } catch (error) {
    throw queryFailure(error);
  } finally {
    stopListening();
  }
}

// A semicolon that ends a select may not stand inside brackets. Which one that is only the database knows for sure,
// so the last one goes until it understands the rest.
async function prepareCopy(
  connection: DuckDBConnection,
  sql: string,
  limit: RowLimit,
): Promise<DuckDBPreparedStatement> {
  try {
    return await connection.prepare(copyStatement(sql, limit));
  } catch (error) {
    const last = sql.lastIndexOf(";");
    if (last < 0) throw error;
    return prepareCopy(connection, sql.slice(0, last) + sql.slice(last + 1), limit);
  }
}

// The select stays between line breaks, so that a comment at its end does not swallow the rest.
function copyStatement(select: string, limit: RowLimit): string {
  const rows = limit === "all" ? select : `from (\n${select}\n) limit ${limit}`;
  return `copy (\n${rows}\n) to $parquet_file (format parquet, use_tmp_file false)`;
}
