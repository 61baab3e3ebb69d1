import type { DuckDBConnection } from "@duckdb/node-api";
import { createHash } from "node:crypto";
import { quotedName, quotedText } from "../../../schemas/quoted.ts";
import { type Relation, schemaOf } from "./relation.ts";

/** What a day holds, by its text `2026-01-31`, or the empty text of a table that is kept whole. */
export type ByDay = ReadonlyMap<string, string>;

/**
 * A digest of the rows of each day, whatever their order. It is taken of their text, so that every version of the
 * database gives the same one. Where days are named, only those have one.
 */
export async function digestsOf(
  connection: DuckDBConnection,
  relation: Relation,
  days?: readonly string[],
): Promise<ByDay> {
  const { table, name } = relation;
  const where = days === undefined || !table.day ? "" : `where ${inDays(table.day.column, days)}`;
  const sum = sumOf(textOf(relation));
  const sql = `select ${dayOf(table)} as day, concat(count(*), '-', ${sum}) as digest from ${quotedName(name)} ${where} group by all having count(*) > 0`;
  const rows = (await connection.runAndReadAll(sql)).getRowObjects();
  const form = formOf(relation);
  return new Map(rows.map((row) => [String(row["day"]), `${String(row["digest"])}-${form}`]));
}

/** The digest of what Parquet files of a day hold, and how many rows that is. */
export async function digestOfFiles(
  connection: DuckDBConnection,
  relation: Relation,
  paths: readonly string[],
): Promise<{ readonly rows: number; readonly digest: string }> {
  const from = `read_parquet([${paths.join(", ")}], hive_partitioning = false, union_by_name = true)`;
  const sum = sumOf(textOf(relation));
  const sql = `select count(*) as rows, concat(count(*), '-', ${sum}) as digest from ${from}`;
  const [row] = (await connection.runAndReadAll(sql)).getRowObjects();
  return { rows: Number(row!["rows"]), digest: `${String(row!["digest"])}-${formOf(relation)}` };
}

/**
 * A quick hash of each day, which shows whether the day may have changed. Another version of the database may give
 * another hash for the same rows, so the digest decides.
 */
export async function looksOf(
  connection: DuckDBConnection,
  { table, name, columns }: Relation,
): Promise<ByDay> {
  const names = (table.look ?? columns.map((column) => column.name)).map(quotedName);
  const look = `concat(count(*), '-', sum(hash(${names.join(", ")})))`;
  const sql = `select ${dayOf(table)} as day, ${look} as look from ${quotedName(name)} group by all having count(*) > 0`;
  const rows = (await connection.runAndReadAll(sql)).getRowObjects();
  return new Map(rows.map((row) => [String(row["day"]), String(row["look"])]));
}

function dayOf({ day }: Relation["table"]): string {
  return day ? `cast(${quotedName(day.column)} as varchar)` : "''";
}

/** The SQL condition that a column is one of these days. */
export function inDays(column: string, days: readonly string[]): string {
  const list = days.map((day) => `date ${quotedText(day)}`).join(", ");
  return days.length === 0 ? "false" : `${quotedName(column)} in (${list})`;
}

// Half of the hash is enough. `md5_number_lower` would take twice as long.
function sumOf(text: string): string {
  return `sum(cast(md5_number(${text}) >> 64 as ubigint))`;
}

// The text has all values, then the length of each, so that different rows never have the same text.
function textOf({ table, columns }: Relation): string {
  const names = (table.digest ?? columns.map(({ name }) => name)).map(quotedName);
  const lengths = names.map((name) => `strlen(cast(${name} as varchar))`);
  return `concat(${names.join(", ")}, '|', ${lengths.join(", ',', ")})`;
}

/** What a digest of these columns ends with: a day that was put there with others is written anew. */
export function formOf(relation: Relation): string {
  return createHash("md5").update(schemaOf(relation)).digest("hex").slice(0, 8);
}
