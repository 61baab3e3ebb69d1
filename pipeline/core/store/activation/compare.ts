import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { deltaStatuses, type DeltaStatus } from "../../../../schemas/activation.ts";
import { quoteName } from "../../../../schemas/quote.ts";
import { toTexts, type DeltaKeys } from "./memory.ts";

import { bindValues, type Statement } from "../../../base/sql/bind.ts";
import { readSql, runFile } from "../../../base/sql/statements.ts";
import { count, queryRows, text, type TypedRow } from "../../../base/sql/typed-rows.ts";

/** Faults in the ids of a run: rows without an id and ids of several rows, with samples of each. */
export type Ids = TypedRow<typeof idShape>;

export type DeltaCounts = Readonly<Record<DeltaStatus, number>>;

/** Comparison of the rows of a run with the rows at the destination. */
export type ComparedRows = {
  readonly rows: number;
  readonly counts: DeltaCounts;
  /** Rows to deliver, without earlier failed rows that wait for a retry. */
  readonly out: DeltaCounts;
  readonly setAside: number;
};

/** Columns that are added to the rows to compare them. */
export const deltaColumns = ["delta_id", "delta_hash"] as const;

/**
 * Takes the rows of this run, with their id as text and a hash over the delta keys; to be called inside a transaction.
 * Before the first run, an empty table represents what the destination has.
 */
export async function takeRows(
  connection: DuckDBConnection,
  { sql, values }: Statement,
  { idKey, deltaKeys }: DeltaKeys,
): Promise<void> {
  const texts = deltaKeys.map((key) => `cast(${quoteName(key)} as varchar)`).join(", ");
  const hash = `md5_number(cast(to_json([${texts}]) as varchar))`;
  const keyed = `select *, cast(${quoteName(idKey)} as varchar) as delta_id, ${hash} as delta_hash from (${sql}\n)`;
  const prepared = await connection.prepare(`create or replace table state.incoming as ${keyed}`);
  bindValues(prepared, values);
  await prepared.run();
  await connection.run(
    "create table if not exists state.previous_rows as select * from state.incoming limit 0",
  );
}

const idShape = {
  withoutId: count,
  nullSamples: toTexts,
  doubled: count,
  samples: toTexts,
};

/** Looks at the ids of this run. */
export async function readIds(connection: DuckDBConnection): Promise<Ids> {
  const [row] = await queryRows(connection, "queries/activation/rows.sql#bad_ids", idShape);
  return row!;
}

/** Compares the rows of both sides; if they are not comparable, the destination counts as empty. */
export async function compareRuns(
  connection: DuckDBConnection,
  isComparable: boolean,
  { retryRefused, resendUncertain }: Partial<Record<"retryRefused" | "resendUncertain", unknown>>,
): Promise<ComparedRows> {
  await runFile(connection, "queries/activation/compare.sql", {
    is_comparable: isComparable,
    retry_refused: retryRefused === true,
    resend_uncertain: resendUncertain === true,
  });
  return countRows(connection);
}

const countShape = Object.fromEntries(
  [
    "rowsRead",
    "aside",
    ...deltaStatuses.flatMap((status) => [nameClass("rows", status), nameClass("out", status)]),
  ].map((name) => [name, count]),
);

function nameClass(prefix: "rows" | "out", status: DeltaStatus): string {
  return prefix + status[0]!.toUpperCase() + status.slice(1);
}

export async function countRows(connection: DuckDBConnection): Promise<ComparedRows> {
  const [row = {}] = await queryRows(connection, "queries/activation/rows.sql#counts", countShape);
  const countOf = (prefix: "rows" | "out"): DeltaCounts =>
    Object.fromEntries(
      deltaStatuses.map((status) => [status, row[nameClass(prefix, status)]]),
    ) as DeltaCounts;
  return {
    rows: row["rowsRead"]!,
    counts: countOf("rows"),
    out: countOf("out"),
    setAside: row["aside"]!,
  };
}

const columnShape = { columnName: text, dataType: text };

/** A column as the database has it. */
type ColumnType = { readonly name: string; readonly type: string };

/** Lists the columns of a table of the state, without the columns used only for the comparison. */
export async function listColumns(
  connection: DuckDBConnection,
  table: "incoming" | "previous_rows",
): Promise<ColumnType[]> {
  const path = "queries/activation/rows.sql#columns";
  const rows = await queryRows(connection, path, columnShape, { table_name: table });
  return rows.map(({ columnName: name, dataType: type }) => ({ name, type }));
}

/**
 * The statement that gives the rows of a class that go out, by their numbers. Deleted ones as the destination has them,
 * types included, with null in columns that were not there then.
 */
export async function selectRowsOfStatus(
  connection: DuckDBConnection,
  status: DeltaStatus,
): Promise<Statement> {
  const [now, before] = await readBothShapes(connection);
  const isThere = (columns: readonly ColumnType[], name: string): boolean =>
    columns.some((column) => column.name === name);
  const asBefore = [
    ...now.map(({ name, type }) =>
      isThere(before, name)
        ? `class_row_of.${quoteName(name)}`
        : `cast(null as ${type}) as ${quoteName(name)}`,
    ),
    ...before
      .filter(({ name }) => !isThere(now, name))
      .map(({ name }) => `class_row_of.${quoteName(name)}`),
  ];
  const asNow = now.map(({ name }) => `class_row_of.${quoteName(name)}`);
  const isDeleted = status === "deleted";
  const table = isDeleted ? "state.previous_rows" : "state.incoming";
  const columns = (isDeleted ? asBefore : asNow).join(", ");
  const sql = readSql("queries/activation/rows.sql#class_rows")
    .trimEnd()
    .replace("select class_columns", () => `select ${columns}`)
    .replace("from class_table", () => `from ${table}`);
  return { sql, values: { delta_status: { type: VARCHAR, value: status } } };
}

/** Reads the columns of this run's rows, and of the rows at the destination. */
export async function readBothShapes(
  connection: DuckDBConnection,
): Promise<[readonly ColumnType[], readonly ColumnType[]]> {
  return [
    await listColumns(connection, "incoming"),
    await listColumns(connection, "previous_rows"),
  ];
}
