import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { prepareAround } from "../../../base/sql/gate.ts";
import { quotedName, quotedText } from "../../../../schemas/quoted.ts";
import { parquetType } from "../../../base/sql/parquet-type.ts";
import { bind } from "../../../base/sql/bind.ts";
import { queryFailure } from "../../../base/sql/failure.ts";
import { countOf, type RowCount, type RowLimit } from "../limit.ts";
import { interruptFrom } from "../../../base/sql/interrupt.ts";
import type { Statement } from "../../../base/sql/bound.ts";

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
    const nothing = await prepareAround(connection, sql, (select) => `from (${select}) limit 0`);
    bind(nothing, values);
    const exact = exactly(await nothing.run());
    const around = (select: string): string => copyStatement(exact(select), path, limit);
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

// A select whose columns keep their digits. The database gives columns of one name different ones inside brackets.
function exactly(shape: DuckDBResult): (text: string) => string {
  const names = shape.columnNames();
  const columns = shape.columnTypes().map((type, at) => ({ name: names[at]!, type: String(type) }));
  const casts = columns
    .filter(({ type }) => parquetType(type) !== type)
    .map(
      ({ name, type }) =>
        `cast(${quotedName(name)} as ${parquetType(type)}) as ${quotedName(name)}`,
    );
  if (casts.length === 0) return (text) => text;
  return (text) => `select * replace (${casts.join(", ")}) from (${text})`;
}

function copyStatement(select: string, path: string, limit: RowLimit): string {
  const rows = limit === "all" ? select : `from (${select}) limit ${limit}`;
  return `copy (${rows}) to ${quotedText(path)} (format parquet, use_tmp_file false)`;
}
