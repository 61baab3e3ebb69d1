import type { DuckDBConnection } from "@duckdb/node-api";
import { join } from "node:path";
import { quotedText } from "../../../schemas/quoted.ts";
import { makeFolders } from "../../base/home/folders.ts";
import { queryFile, runFile, runFiles } from "../../base/sql/statements.ts";
import { foldingFiles } from "../../core/store/derived.ts";
import type { Snapshots } from "./beyond.ts";
import { ownFiles } from "./changes.ts";
import { heldBefore, type Restored } from "./held.ts";
import type { Kept } from "./kept.ts";
import type { Publisher } from "./publisher.ts";
import { type Relation, relationOf } from "./relation.ts";
import { noTable } from "./snapshot.ts";
import type { LakeTable } from "./tables.ts";
import { daysToLookAt, isAnySuspect, type Reading, readDays, readEvents } from "./whole-rows.ts";

// A prune took a part of a job, and another part of it came since. Its row is folded from all of its events, which the
// lake has: it is that of a database that never pruned.

/** The jobs of which the database has a part, as they are whole; in temporary tables. */
export type WholeJobs = {
  /** The table of their keys. */
  readonly keys: string;
  /** The table of the rows that a table of the lake is to have of them. */
  readonly rows: (table: LakeTable) => string;
  /** The days of a table on which the lake has other rows of them. */
  readonly days: ReadonlyMap<string, readonly string[]>;
};

/** What of the lake the database may lack. */
export type Lacking = { readonly kept: Kept; readonly restored: Restored | undefined };

const folder = "queries/lake/jobs";
const ofTexts = ["query_table_rows", "query_column_rows"];
const ofJobs = [...ofTexts, "job_rows"];
const keys = "lake_whole";
const rowsOf = ({ name }: LakeTable): string => `lake_whole_${name}`;

/** Whether the rows of a table are those of jobs. */
export function isOfJobs({ name }: LakeTable): boolean {
  return ofJobs.includes(name);
}

/**
 * Folds the jobs that the lake knows otherwise than the database, from the events that both have. Undefined where there
 * are none, or nothing has changed that has to do with jobs.
 */
export async function wholeJobs(
  publisher: Publisher,
  lacking: Lacking,
  snapshots: Snapshots,
): Promise<WholeJobs | undefined> {
  const tables = publisher.tables.filter(isOfJobs);
  const { kept, restored } = lacking;
  const jobs = snapshots.get("job_rows") ?? noTable;
  const held = restored?.before ?? heldBefore(ownFiles(jobs, publisher.ingester, "activity_date"));
  const isAny = kept.isAny || held !== undefined;
  if (!isAny || tables.length < ofJobs.length || publisher.isDryRun) return undefined;
  const own = await publisher.connect();
  try {
    const relations = [];
    for (const table of tables) relations.push(await relationOf(own, table, publisher.ingester));
    if (!(await isAnySuspect(own, relations, publisher, snapshots))) return undefined;
    const place = join(publisher.folder, "jobs");
    makeFolders(place);
    const reading = { ...publisher, connection: own, folder: place, snapshots, kept };
    if (!(await isAnyOther(reading, relations, lacking, held))) return undefined;
    await fold(reading);
    return await handedOver(publisher.connection, reading, relations);
  } finally {
    own.closeSync();
  }
}

// Notes the jobs that the lake has otherwise than the database.
async function isAnyOther(
  reading: Reading,
  relations: readonly Relation[],
  { kept, restored }: Lacking,
  held: string | undefined,
): Promise<boolean> {
  const { connection } = reading;
  await runFiles(connection, foldingFiles);
  const moment = `greatest(${kept.moment}, cast(${held === undefined ? "null" : quotedText(held)} as timestamp))`;
  await connection.run(`create or replace temp macro lake_kept_before(source) as ${moment}`);
  await runFile(connection, `${folder}/here.sql`);
  const [range] = await queryFile(connection, `${folder}/range.sql`);
  const first = range?.["first_day"] ?? null;
  if (first === null) return false;
  for (const relation of relations) {
    const lookedAt = { first: String(first), before: [kept.ofSome, restored?.before ?? ""] };
    const days = daysToLookAt(reading, relation, lookedAt);
    await readDays(reading, relation, days);
  }
  await runFile(connection, `${folder}/other.sql`);
  const other = await connection.runAndReadAll("select count(*) from lake_jobs_other");
  return Number(other.getRows()[0]![0]) > 0;
}

async function fold(reading: Reading): Promise<void> {
  const { connection, snapshots, ingester } = reading;
  const days = await queryFile(connection, `${folder}/days.sql`);
  await runFile(connection, `${folder}/begin.sql`);
  const files = ownFiles(snapshots.get("event_rows")!, ingester, "event_date");
  for (const day of days.map((row) => String(row["day"])))
    await readEvents(reading, day, files.get(day) ?? []);
  await runFile(connection, `${folder}/touched.sql`);
  await runFile(connection, "queries/derived/jobs.sql");
  await runFile(connection, `${folder}/keys.sql`);
}

// What was found on a connection of its own, whose tables stand before those of the database, goes to the publisher's.
async function handedOver(
  to: DuckDBConnection,
  { connection, folder: place }: Reading,
  relations: readonly Relation[],
): Promise<WholeJobs> {
  const days = new Map<string, readonly string[]>();
  for (const { table, name } of relations) {
    const there = `lake_there_${table.name}`;
    const column = table.day!.column;
    const made = ofTexts.includes(table.name) ? textRows(name, there) : `select * from ${name}`;
    await connection.run(`create or replace temp table ${rowsOf(table)} as ${made}`);
    const held = `select t.* from ${there} as t semi join ${keys} as w on w.source = t.source and w.job_id = t.job_id`;
    const differing = `(${held} except all select * from ${rowsOf(table)}) union all (select * from ${rowsOf(table)} except all ${held})`;
    const found = await connection.runAndReadAll(
      `select distinct cast(${column} as varchar) as day from (${differing}) order by day`,
    );
    days.set(
      table.name,
      found.getRows().map(([day]) => String(day)),
    );
  }
  for (const name of [keys, ...relations.map(({ table }) => rowsOf(table))]) {
    const file = quotedText(join(place, `${name}.parquet`));
    await connection.run(`copy ${name} to ${file} (format parquet)`);
    await to.run(`create or replace temp table ${name} as select * from read_parquet(${file})`);
  }
  return { keys, rows: rowsOf, days };
}

// What a text touches stands here or there, wherever the text of the job came from.
function textRows(here: string, there: string): string {
  const from = (rows: string, place: string): string =>
    `select q.* replace (w.day as job_date) from ${rows} as q inner join ${keys} as w on w.source = q.source and w.job_id = q.job_id where w.is_text_${place}`;
  return `${from(here, "here")} union all by name ${from(there, "there")}`;
}
