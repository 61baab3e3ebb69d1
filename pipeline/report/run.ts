import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
  StatementType,
} from "@duckdb/node-api";
import { AuditlakeError } from "../errors.ts";
import { assertReadToEnd } from "../streamed.ts";
import { cellOf, kindOf } from "./cells.ts";
import { queryFailure } from "./failure.ts";
import type { Column, Row, Rows } from "../rows/row.ts";

/** A value and the type it is bound with. */
export type Bound = { readonly type: DuckDBType; readonly value: DuckDBValue };

/** SQL with named parameters (`$since`) and their values; the two never become one text. */
export type Statement = {
  readonly sql: string;
  readonly values: Readonly<Record<string, Bound>>;
};

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
  const stopListening = interruptOn(connection, signal);
  try {
    const prepared = await prepareSelect(connection, statement.sql);
    bind(prepared, statement.values);
    const result = await prepared.stream();
    const again = async (): Promise<void> => {
      signal?.throwIfAborted();
      const analysis = await connection.prepare(`explain analyze\n${statement.sql}`);
      bind(analysis, statement.values);
      await analysis.run();
    };
    return { columns: columnsOf(result), batches: batchesOf(result, again, stopListening) };
  } catch (error) {
    stopListening();
    throw queryFailure(error);
  }
}

/** Interrupts what the connection is doing when the signal aborts; call the result when it is done. */
export function interruptOn(connection: DuckDBConnection, signal?: AbortSignal): () => void {
  signal?.throwIfAborted();
  const interrupt = (): void => connection.interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  return () => signal?.removeEventListener("abort", interrupt);
}

/** Prepares text that must be a single SELECT: a report reads and does nothing else. */
export async function prepareSelect(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const statements = await connection.extractStatements(sql).catch((error: unknown) => {
    throw /native callback/.test(String(error))
      ? new AuditlakeError("the text holds no statement; expected one SELECT")
      : error;
  });
  if (statements.count !== 1)
    throw new AuditlakeError(`the text holds ${statements.count} statements; expected one SELECT`);
  const prepared = await statements.prepare(0);
  if (prepared.statementType === StatementType.SELECT) return prepared;
  throw new AuditlakeError(
    `the statement is ${StatementType[prepared.statementType]}; expected SELECT, reports only read`,
  );
}

/** Binds by name; throws AuditlakeError where SQL and values do not name the same parameters. */
export function bind(prepared: DuckDBPreparedStatement, values: Statement["values"]): void {
  const used = new Set<string>();
  for (let index = 1; index <= prepared.parameterCount; index++) {
    const name = prepared.parameterName(index);
    const bound = values[name];
    if (!bound)
      throw new AuditlakeError(`the SQL uses $${name}, which no "-- param:" line declares`);
    prepared.bind({ [name]: bound.value }, { [name]: bound.type });
    used.add(name);
  }
  const unused = Object.keys(values).find((name) => !used.has(name));
  if (unused !== undefined)
    throw new AuditlakeError(`parameter ${unused} is declared but the SQL does not use $${unused}`);
}

function columnsOf(result: DuckDBResult): Column[] {
  return result.deduplicatedColumnNames().map((name, index) => {
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
