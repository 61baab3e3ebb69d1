import { bindValues, type Statement, bindQuestion } from "./bind.ts";
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  ResultReturnType,
} from "@duckdb/node-api";
import { toCell, makeDistinct, classifyType } from "./cells.ts";
import { prepareAgain, prepareAround, prepareSelect } from "./gate.ts";
import { interruptFrom } from "./transaction.ts";
import { describeQueryFailure, type Question } from "./question.ts";
import {
  type Column,
  newRowCount,
  type Row,
  type RowCount,
  type RowLimit,
  type Rows,
} from "../rows/row.ts";
import { AuditlakeError, getMessage } from "../errors.ts";
import { quoteName, quoteText } from "../../../schemas/quote.ts";

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
    bindValues(prepared, statement.values);
    const result = await prepared.stream();
    const renewClaim = async (): Promise<void> => {
      signal?.throwIfAborted();
      const analysis = await prepareAgain(connection, statement.sql);
      bindValues(analysis, statement.values);
      await analysis.run();
    };
    return {
      columns: listColumns(result),
      batches: readBatches(result, renewClaim, stopListening),
    };
  } catch (error) {
    stopListening();
    throw describeQueryFailure(error);
  }
}

function listColumns(result: DuckDBResult): Column[] {
  return makeDistinct(result.columnNames()).map((name, index) => {
    const type = result.columnType(index);
    return { name, type: type.toString(), kind: classifyType(type) };
  });
}

async function* readBatches(
  result: DuckDBResult,
  again: () => Promise<void>,
  close: () => void,
): AsyncGenerator<readonly Row[]> {
  try {
    yield* result.yieldConvertedRows(toCell);
    await assertReadToEnd(result, again);
  } catch (error) {
    throw describeQueryFailure(error);
  } finally {
    close();
  }
}

/**
 * To be called when a streamed result ends: throws if the query failed, and not all rows were read. The driver ends
 * both alike and does not report the reason (as in github.com/duckdb/duckdb-rs/pull/832, seen with @duckdb/node-api
 * 1.5.6). So `renewClaim` has to repeat the query, without returning its rows.
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
    if (!/transaction is aborted/i.test(getMessage(error))) throw error;
  }
  throw new AuditlakeError(
    "the database stopped the query before its last row without a reason; try again, with a higher memory_limit if it fails repeatedly",
  );
}

/**
 * Prepares a connection, and its database, for compiling only. Without the optimizer, binding finds all faults in two
 * thirds of the time and executes nothing early.
 */
export async function prepareToCompile(connection: DuckDBConnection): Promise<void> {
  await connection.run("pragma disable_optimizer");
  await connection.run("set threads = 1");
}

/**
 * Compiles a question on a database and reads no row. Throws AuditlakeError where values and statement do not fit each
 * other or the database.
 */
export async function compileQuestion(
  connection: DuckDBConnection,
  question: Question,
): Promise<void> {
  const { sql, values } = bindQuestion(question);
  try {
    const prepared = await prepareSelect(connection, sql);
    const isTyped = hasTypesOf(prepared, values);
    bindValues(prepared, values);
    // Binds the statement again, for the types of these values; rows would come by tasks that do not run.
    if (!isTyped) prepared.start();
    prepared.destroySync();
  } catch (error) {
    throw describeQueryFailure(error);
  }
}

// Whether the statement by itself already takes each parameter for the type of its value.
function hasTypesOf(prepared: DuckDBPreparedStatement, values: Statement["values"]): boolean {
  for (let i = 1; i <= prepared.parameterCount; i++)
    if (values[prepared.parameterName(i)]?.type.typeId !== prepared.parameterTypeId(i))
      return false;
  return true;
}

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
    bindValues(nothing, values);
    const exact = newExactSelect(await nothing.run());
    const wrapInCopy = (select: string): string => copyStatement(exact(select), path, limit);
    const copy = await prepareAround(connection, sql, wrapInCopy);
    bindValues(copy, values);
    const [row] = await (await copy.run()).getRows();
    return newRowCount(Number(row?.[0] ?? 0), limit);
  } catch (error) {
    throw describeQueryFailure(error);
  } finally {
    stopListening();
  }
}

// A select whose columns keep their digits. The database gives columns of one name different ones inside brackets.
function newExactSelect(shape: DuckDBResult): (text: string) => string {
  const names = shape.columnNames();
  const columns = shape.columnTypes().map((type, at) => ({ name: names[at]!, type: String(type) }));
  const casts = columns
    .filter(({ type }) => getParquetType(type) !== type)
    .map(
      ({ name, type }) =>
        `cast(${quoteName(name)} as ${getParquetType(type)}) as ${quoteName(name)}`,
    );
  if (casts.length === 0) return (text) => text;
  return (text) => `select * replace (${casts.join(", ")}) from (${text})`;
}

// The default of today: the same rows are to give the same bytes with any version.
const rowGroupRows = 122_880;

function copyStatement(select: string, path: string, limit: RowLimit): string {
  const rows = limit === "all" ? select : `from (${select}) limit ${limit}`;
  return `copy (${rows}) to ${quoteText(path)} (format parquet, row_group_size ${rowGroupRows}, use_tmp_file false)`;
}

const forms: Readonly<Record<string, string>> = {
  HUGEINT: "DECIMAL(38,0)",
  UHUGEINT: "DECIMAL(38,0)",
  INTERVAL: "VARCHAR",
};

// Names of members and values of an enum are quoted.
const words = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\w+/g;

/**
 * The type that a column has in Parquet, also inside of lists and structs. Whole numbers of 128 bits, such as sums, would
 * become floating ones there and lose digits; decimals of 38 digits keep them. An interval would be cut to milliseconds,
 * or not be written where it is negative; its text has all of it.
 */
export function getParquetType(type: string): string {
  const kept = type.replace(words, (word) => (Object.hasOwn(forms, word) ? forms[word]! : word));
  if (kept === type) return type;
  // To be cast to, members of a row need names.
  let members = 0;
  return kept.replace(words, (word) => (word === '""' ? `v${(members += 1)}` : word));
}
