import type { DuckDBConnection } from "@duckdb/node-api";
import { createHash } from "node:crypto";
import { quotedName, quotedText } from "../../schemas/quoted.ts";
import { type Relation, schemaOf } from "./relation.ts";

/** What a day holds, by its text `2026-01-31`, or the empty text of a table that is kept whole. */
export type ByDay = ReadonlyMap<string, string>;

/**
 * A digest of the rows of each day, whatever their order: of their text, so that no other version of the database gives
 * another one. Of the days alone that are named, where they are.
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
 * What shows quickly whether a day has changed. It is quick, and another version of the database may give another value
 * for the same rows: the digest decides.
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

/** A condition that a day is one of those. */
export function inDays(column: string, days: readonly string[]): string {
  const list = days.map((day) => `date ${quotedText(day)}`).join(", ");
  return days.length === 0 ? "false" : `${quotedName(column)} in (${list})`;
}

// The lower half of the number, which `md5_number_lower` takes twice as long to give.
function sumOf(text: string): string {
  return `sum(cast(md5_number(${text}) >> 64 as ubigint))`;
}

// The values one after the other, then the length of each: no two rows have the same text.
function textOf({ table, columns }: Relation): string {
  const names = (table.digest ?? columns.map(({ name }) => name)).map(quotedName);
  const lengths = names.map((name) => `strlen(cast(${name} as varchar))`);
  return `concat(${names.join(", ")}, '|', ${lengths.join(", ',', ")})`;
}

// A table with other columns is written anew.
function formOf(relation: Relation): string {
  return createHash("md5").update(schemaOf(relation)).digest("hex").slice(0, 8);
}
