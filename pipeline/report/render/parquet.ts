import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { queryFailure } from "../failure.ts";
import { bind, interruptOn, prepareSelect, type Statement } from "../run.ts";

/**
 * Writes the rows of one SELECT as Parquet into a file that exists already, and returns their number.
 * The database writes it itself, so types stay what they are and rows never pass through here.
 */
export async function copyToParquet(
  connection: DuckDBConnection,
  { sql, values }: Statement,
  path: string,
  signal?: AbortSignal,
): Promise<number> {
  const stopListening = interruptOn(connection, signal);
  try {
    (await prepareSelect(connection, sql)).destroySync();
    const copy = await connection.prepare(copyStatement(withoutTerminator(sql)));
    bind(copy, { ...values, parquet_file: { type: VARCHAR, value: path } });
    const [row] = await (await copy.run()).getRows();
    return Number(row?.[0] ?? 0);
  } catch (error) {
    throw queryFailure(error);
  } finally {
    stopListening();
  }
}

// The select stays between line breaks, so that a comment at its end does not swallow the rest.
function copyStatement(select: string): string {
  return `copy (\n${select}\n) to $parquet_file (format parquet, use_tmp_file false)`;
}

const quotedOrComment =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|;/g;

/** One statement without the semicolon at its end; those in text and comments stay. */
export function withoutTerminator(sql: string): string {
  return sql.replace(quotedOrComment, (part) => (part === ";" ? "" : part));
}
