import type { DuckDBConnection } from "@duckdb/node-api";
import { prepareAround } from "../../sql/gate.ts";
import { quotedText } from "../../../schemas/quoted.ts";
import { bind } from "../bind.ts";
import { queryFailure } from "../failure.ts";
import { countOf, type RowCount, type RowLimit } from "../limit.ts";
import { interruptFrom } from "../../sql/interrupt.ts";
import type { Statement } from "../bound.ts";

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
  const stopListening = interruptFrom(connection, signal);
  try {
    const around = (select: string): string => copyStatement(select, path, limit);
    const copy = await prepareAround(connection, sql, around);
    bind(copy, values);
    const [row] = await (await copy.run()).getRows();
    return countOf(Number(row?.[0] ?? 0), limit);
  } catch (error) {
    throw queryFailure(error);
  } finally {
    stopListening();
  }
}

function copyStatement(select: string, path: string, limit: RowLimit): string {
  const rows = limit === "all" ? select : `from (${select}) limit ${limit}`;
  return `copy (${rows}) to ${quotedText(path)} (format parquet, use_tmp_file false)`;
}
