import { quotedName, quotedText } from "../../../schemas/quoted.ts";
import type { Snapshots } from "./beyond.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { ownFiles, suspects, tagged } from "./changes.ts";
import { formOf, looksOf } from "./digest.ts";
import { damagedDays } from "./damaged.ts";
import { fetchedFiles } from "./fetched.ts";
import { isBefore, type Kept } from "./kept.ts";
import type { AddFile } from "./log.ts";
import type { Publisher } from "./publisher.ts";
import type { Relation } from "./relation.ts";
import { tag } from "./snapshot.ts";

/** Who reads rows of the lake, and into which folder. */
export type Reading = Publisher & { readonly snapshots: Snapshots; readonly kept: Kept };

/** Whether a day of some tables looks otherwise than when it was put into the lake. */
export async function isAnySuspect(
  connection: DuckDBConnection,
  relations: readonly Relation[],
  { ingester, isFull }: Publisher,
  snapshots: Snapshots,
): Promise<boolean> {
  if (isFull) return true;
  for (const relation of relations) {
    const { name, day } = relation.table;
    const own = ownFiles(snapshots.get(name)!, ingester, day!.column);
    const looks = await looksOf(connection, relation);
    if (suspects(own, looks, formOf(relation)).length > 0) return true;
  }
  return false;
}

/** The days from one on of which the lake has rows that the database may lack. */
export function daysToLookAt(
  { snapshots, ingester }: Reading,
  { table }: Relation,
  { first, before }: { readonly first: string; readonly before: readonly string[] },
): string[] {
  const own = ownFiles(snapshots.get(table.name)!, ingester, table.day!.column);
  const isLacking = (day: string, files: readonly AddFile[]): boolean =>
    before.some((moment) => isBefore(day, moment)) || tagged(files, tag.kept) !== undefined;
  return [...own].flatMap(([day, files]) => (day >= first && isLacking(day, files) ? day : []));
}

/** Reads what the lake has of the jobs in `lake_jobs_here` on these days, into a temporary table of the form of the lake. */
export async function readDays(
  reading: Reading,
  { table, name }: Relation,
  days: readonly string[],
): Promise<void> {
  const { connection, ingester, snapshots } = reading;
  const there = `lake_there_${table.name}`;
  const own = ownFiles(snapshots.get(table.name)!, ingester, table.day!.column);
  await connection.run(
    `create or replace temp table ${there} as select * from ${quotedName(name)} limit 0`,
  );
  for (const day of days) {
    const paths = await pathsOf(reading, table.name, day, own.get(day)!);
    if (paths.length === 0) continue;
    await connection.run(
      `insert into ${there} by name select t.* from ${fileRows(paths, table.day!.column, day)} as t semi join lake_jobs_here as h on h.source = t.source and h.job_id = t.job_id`,
    );
  }
}

/** Adds what the lake has of the events of a day that the jobs in `lake_jobs_other` have. */
export async function readEvents(
  reading: Reading,
  day: string,
  files: readonly AddFile[],
): Promise<void> {
  const paths = await pathsOf(reading, "event_rows", day, files);
  if (paths.length === 0) return;
  await reading.connection.run(
    `insert into event_rows by name select e.* from ${fileRows(paths, "event_date", day)} as e semi join lake_jobs_other as o on o.source = e.source and o.job_id = job_id_of(e.resource_id, e.resource_name) anti join event_rows as h on h.event_key = cast(e.event_key as uuid)`,
  );
}

// Of a day that no prune took, what is lost is written anew under `--full`, with what the database has.
async function pathsOf(
  reading: Reading,
  table: string,
  day: string,
  files: readonly AddFile[],
): Promise<string[]> {
  const { store, folder, kept, isFull } = reading;
  const isHeld = !isBefore(day, kept.ofSome);
  const own = new Map([[day, files]]);
  if (isFull && isHeld && (await damagedDays(reading, table, own)).has(day)) return [];
  return fetchedFiles(store, table, files, folder, isHeld);
}

function fileRows(paths: readonly string[], column: string, day: string): string {
  return `(select *, date ${quotedText(day)} as ${quotedName(column)} from read_parquet([${paths.join(", ")}], hive_partitioning = false, union_by_name = true))`;
}
