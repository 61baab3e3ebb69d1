import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../../base/errors.ts";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import { queryFile } from "../../base/sql/statements.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import type { LakeTable } from "./tables.ts";
import { createHash } from "node:crypto";

/** A column as the lake holds it: its Delta type, and how the database makes it. */
export type LakeColumn = { readonly name: string; readonly type: string; readonly made: string };

/** The rows of a table in the form of the lake: a temporary view, or a temporary table if they are computed. */
export type Relation = {
  readonly table: LakeTable;
  /** Its name among the temporary ones. */
  readonly name: string;
  readonly kind: "table" | "view";
  /** Columns of the files, without the partition day. */
  readonly columns: readonly LakeColumn[];
  /** The statement that makes it. */
  readonly made: string;
};

const deltaTypes: Readonly<Record<string, string>> = {
  VARCHAR: "string",
  BIGINT: "long",
  INTEGER: "integer",
  DOUBLE: "double",
  BOOLEAN: "boolean",
  DATE: "date",
  TIMESTAMP: "timestamp_ntz",
};

/** Makes the lake's form of a table of the database that the connection has open. */
export async function createRelation(
  connection: DuckDBConnection,
  table: LakeTable,
  ingester: string,
): Promise<Relation> {
  const rows = await queryRows(
    connection,
    "queries/lake/published.sql#columns",
    { columnName: text, dataType: text },
    { name: table.name },
  );
  if (rows.length === 0)
    throw new AuditlakeError(
      `the published file has no ${table.name}, it was written by an earlier auditlake; run ${formatCommand("publish")} to update it`,
    );
  const own = rows.map(({ columnName, dataType }) => newColumn(columnName, dataType));
  const columns = [...own, ...listExtraColumns(table, ingester)];
  const name = `lake_${table.name}`;
  const list = columns.map(({ name: column, made }) => `${made} as ${quoteName(column)}`);
  const kind = await readKind(connection, table.name);
  const body = `select ${list.join(", ")} from ${quoteName(table.name)}`;
  const made = `create or replace temp ${kind} ${quoteName(name)} as ${body}`;
  await connection.run(made);
  const kept = columns.filter((column) => column.name !== table.day?.column);
  return { table, name, kind, columns: kept, made };
}

// Computes a view only once, so that digest and file come from the same rows.
async function readKind(connection: DuckDBConnection, name: string): Promise<"table" | "view"> {
  const found = await queryFile(connection, "queries/lake/published.sql#is_view", { name });
  return found.length > 0 ? "table" : "view";
}

function listExtraColumns({ day, isShared }: LakeTable, ingester: string): LakeColumn[] {
  const ofDay = day?.from === undefined ? [] : [{ name: day.column, type: "date", made: day.from }];
  if (!isShared) return ofDay;
  return [...ofDay, { name: "ingester", type: "string", made: quoteText(ingester) }];
}

function newColumn(name: string, type: string): LakeColumn {
  const column = quoteName(name);
  if (type === "UUID") return { name, type: "string", made: `lower(hex(cast(${column} as blob)))` };
  if (type === "JSON" || type.startsWith("ENUM("))
    return { name, type: "string", made: `cast(${column} as varchar)` };
  if (type.endsWith("[]"))
    return { name, type: "string", made: `cast(to_json(${column}) as varchar)` };
  const known = deltaTypes[type];
  if (known !== undefined) return { name, type: known, made: column };
  throw new AuditlakeError(`column ${name} has type ${type}, which the lake does not support`);
}

/** The columns as the log of a Delta table describes them, the day among them. */
export function writeSchema({ table, columns }: Relation): string {
  const all = table.day ? [...columns, { name: table.day.column, type: "date" }] : columns;
  const fields = all.map(({ name, type }) => ({ name, type, nullable: true, metadata: {} }));
  return JSON.stringify({ type: "struct", fields });
}

/** Content per day, by its text `2026-01-31`, or the empty text for a table without partitions. */
export type ByDay = ReadonlyMap<string, string>;

/**
 * Reads a digest of the rows of each day, in any order. It is computed from their text, so every version of the
 * database gives the same one. With `days`, only those days have one.
 */
export async function readDigests(
  connection: DuckDBConnection,
  relation: Relation,
  days?: readonly string[],
): Promise<ByDay> {
  const { table, name } = relation;
  const where =
    days === undefined || !table.day ? "" : `where ${filterDays(table.day.column, days)}`;
  const sum = sumHashes(writeRowText(relation));
  const sql = `select ${selectDay(table)} as day, concat(count(*), '-', ${sum}) as digest from ${quoteName(name)} ${where} group by all having count(*) > 0`;
  const rows = (await connection.runAndReadAll(sql)).getRowObjects();
  const form = hashForm(relation);
  return new Map(rows.map((row) => [String(row["day"]), `${String(row["digest"])}-${form}`]));
}

/** The digest of what Parquet files of a day hold, and how many rows that is. */
export async function readFilesDigest(
  connection: DuckDBConnection,
  relation: Relation,
  paths: readonly string[],
): Promise<{ readonly rows: number; readonly digest: string }> {
  const from = `read_parquet([${paths.join(", ")}], hive_partitioning = false, union_by_name = true)`;
  const sum = sumHashes(writeRowText(relation));
  const sql = `select count(*) as rows, concat(count(*), '-', ${sum}) as digest from ${from}`;
  const [row] = (await connection.runAndReadAll(sql)).getRowObjects();
  return { rows: Number(row!["rows"]), digest: `${String(row!["digest"])}-${hashForm(relation)}` };
}

/**
 * A quick hash of each day, which shows whether the day may have changed. Another version of the database may give
 * another hash for the same rows, so the digest decides.
 */
export async function readLooks(
  connection: DuckDBConnection,
  { table, name, columns }: Relation,
): Promise<ByDay> {
  const names = (table.look ?? columns.map((column) => column.name)).map(quoteName);
  const look = `concat(count(*), '-', sum(hash(${names.join(", ")})))`;
  const sql = `select ${selectDay(table)} as day, ${look} as look from ${quoteName(name)} group by all having count(*) > 0`;
  const rows = (await connection.runAndReadAll(sql)).getRowObjects();
  return new Map(rows.map((row) => [String(row["day"]), String(row["look"])]));
}

function selectDay({ day }: Relation["table"]): string {
  return day ? `cast(${quoteName(day.column)} as varchar)` : "''";
}

/** The SQL condition that a column is one of these days. */
function filterDays(column: string, days: readonly string[]): string {
  const list = days.map((day) => `date ${quoteText(day)}`).join(", ");
  return days.length === 0 ? "false" : `${quoteName(column)} in (${list})`;
}

// Half of the hash is enough. `md5_number_lower` would take twice as long.
function sumHashes(text: string): string {
  return `sum(cast(md5_number(${text}) >> 64 as ubigint))`;
}

// The text has all values, then the length of each, so that different rows never have the same text.
function writeRowText({ table, columns }: Relation): string {
  const names = (table.digest ?? columns.map(({ name }) => name)).map(quoteName);
  const lengths = names.map((name) => `strlen(cast(${name} as varchar))`);
  return `concat(${names.join(", ")}, '|', ${lengths.join(", ',', ")})`;
}

/** The suffix of a digest of these columns: a day that was stored with other columns is rewritten. */
export function hashForm(relation: Relation): string {
  return createHash("md5").update(writeSchema(relation)).digest("hex").slice(0, 8);
}
