import type { Statement } from "./bound.ts";
import { type DuckDBConnection, type DuckDBResult } from "@duckdb/node-api";
import { distinctNames } from "./column-names.ts";
import { prepareAgain, prepareSelect } from "./gate.ts";
import { assertReadToEnd } from "./streamed.ts";
import { interruptFrom } from "./interrupt.ts";
import { bind } from "./bind.ts";
import { cellOf, kindOf } from "./cells.ts";
import { queryFailure } from "./failure.ts";
import type { Column, Row, Rows } from "../rows/row.ts";

/**
 * Runs one SELECT and streams its rows. The connection is busy until the rows are read to the end or
 * given up; the signal interrupts the query. Errors of the database come as AuditlakeError without
 * the values of records.
 */
export async function runStatement(
  connection: DuckDBConnection,
  statement: Statement,
  signal?: AbortSignal,
): Promise<Rows> {
  const stopListening = interruptFrom(connection, signal);
  try {
    const prepared = await prepareSelect(connection, statement.sql);
    bind(prepared, statement.values);
    const result = await prepared.stream();
    const again = async (): Promise<void> => {
      signal?.throwIfAborted();
      const analysis = await prepareAgain(connection, statement.sql);
      bind(analysis, statement.values);
      await analysis.run();
    };
    return { columns: columnsOf(result), batches: batchesOf(result, again, stopListening) };
  } catch (error) {
    stopListening();
    throw queryFailure(error);
  }
}

function columnsOf(result: DuckDBResult): Column[] {
  return distinctNames(result.columnNames()).map((name, index) => {
    const type = result.columnType(index);
    return { name, type: type.toString(), kind: kindOf(type) };
  });
}

async function* batchesOf(
  result: DuckDBResult,
  again: () => Promise<void>,
  close: () => void,
): AsyncGenerator<readonly Row[]> {
  try {
    yield* result.yieldConvertedRows(cellOf);
    await assertReadToEnd(result, again);
  } catch (error) {
    throw queryFailure(error);
  } finally {
    close();
  }
}
