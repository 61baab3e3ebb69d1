import type { DuckDBConnection } from "@duckdb/node-api";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { makeFolders } from "../../base/home/durable.ts";
import { nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import type { AddFile } from "./log.ts";
import type { Relation } from "./relation.ts";
import type { Store } from "./store.ts";
import type { LakeTable } from "./tables.ts";

// A prune takes rows from the database; the lake keeps them. Of days before the prune mark, rows that the database no
// longer has are immutable, and late rows are added to them.

/** The moment before which a prune took events, as the database writes it; the empty text where none did. */
export async function pruneMark(connection: DuckDBConnection): Promise<string> {
  const [row] = await queryRows(connection, "queries/lake/published.sql#prune_mark", {
    mark: nullable(text),
  });
  return row?.mark ?? "";
}

/** Whether a day is before the prune mark; after a prune, tables without days are if their rows have keys. */
export function isBeforeMark(mark: string, { key }: LakeTable, day: string): boolean {
  if (day === "") return mark !== "" && key !== undefined;
  return `${day} 00:00:00` < mark;
}

/** Files of a day, or of a whole table, in the lake. `folder` takes copies of them while they are read. */
export type InLake = {
  readonly store: Store;
  readonly files: readonly AddFile[];
  readonly folder: string;
};

/**
 * Merges the rows of a day with rows that exist only in the lake into a temporary table, and returns its name. A row of
 * the lake stays if a prune may have removed it here and the database has no row with its key, or only a late part of
 * the object it describes.
 */
export async function mergeDay(
  connection: DuckDBConnection,
  relation: Relation,
  day: string,
  lake: InLake,
): Promise<string> {
  const { day: kept, key, firstEvent } = relation.table;
  const paths = await fetchFiles(relation.table.name, lake);
  const isPruned = kept ? `p.before_time > date ${quoteText(day)}` : "true";
  const isOwn = "p.source is null or p.source = t.source";
  await connection.run(
    `create or replace temp table lake_merged as
    with here as (select * from ${selectDayRows(relation, day)}),
    stays as (
      select t.* from ${selectFileRows(relation, day, paths)} as t
      where exists (select 1 from prunes as p where p.with_events and ${isPruned} and (${isOwn}))
        and not exists (select 1 from here as h where ${matchRows([...key!, ...(firstEvent ? [firstEvent] : [])])})
    )
    select h.* from here as h
    where not exists (select 1 from stays as t where ${matchRows(key!)})
    union all by name
    select t.* from stays as t`,
  );
  return "lake_merged";
}

/** Counts the rows in files of a day (all present in the lake) that are missing in the database. */
export async function countMissing(
  connection: DuckDBConnection,
  relation: Relation,
  day: string,
  lake: InLake,
): Promise<number> {
  const paths = await fetchFiles(relation.table.name, lake);
  const found = await connection.runAndReadAll(
    `select count(*) from ${selectFileRows(relation, day, paths)} as t where not exists (
      select 1 from ${selectDayRows(relation, day)} as h where ${matchRows(relation.table.key!)})`,
  );
  return Number(found.getRows()[0]![0]);
}

function selectDayRows({ table: { day: kept }, name }: Relation, day: string): string {
  const where = kept ? ` where ${quoteName(kept.column)} = date ${quoteText(day)}` : "";
  return `(select * from ${quoteName(name)}${where})`;
}

function selectFileRows({ table: { day: kept } }: Relation, day: string, paths: string[]): string {
  const column = kept ? `, date ${quoteText(day)} as ${quoteName(kept.column)}` : "";
  return `(select *${column} from read_parquet([${paths.join(", ")}], hive_partitioning = false, union_by_name = true))`;
}

function matchRows(columns: readonly string[]): string {
  const matchColumn = (column: string): string => `h.${column} is not distinct from t.${column}`;
  return columns.map((column) => matchColumn(quoteName(column))).join(" and ");
}

// Returns the paths of the copies as SQL literals.
async function fetchFiles(table: string, { store, files, folder }: InLake): Promise<string[]> {
  makeFolders(folder);
  const paths: string[] = [];
  for (const { path } of files) {
    const name = `${table}/${decodeURIComponent(path)}`;
    const bytes = await store.get(name);
    if (bytes === undefined)
      throw new AuditlakeError(
        `the lake ${store.place} has no ${name}, which its log lists; restore it from a copy, because the database no longer has these events`,
      );
    // A name is used once: the database keeps what it has read by that (github.com/duckdb/duckdb/pull/16463).
    const local = join(folder, `${randomUUID()}.parquet`);
    await writeFile(local, bytes, { mode: 0o600 });
    paths.push(quoteText(local));
  }
  return paths;
}
