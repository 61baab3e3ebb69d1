import { join } from "node:path";
import { listValue, type DuckDBConnection, type DuckDBValue } from "@duckdb/node-api";
import { pageStep, toIncomingSql } from "../../../../schemas/generators/incoming.ts";
import { readAsset } from "../../../base/home/assets.ts";
import { readSql, runFile } from "../../../base/sql/statements.ts";
import { useThreads } from "../../../base/sql/instance.ts";
import { count, queryRows, text } from "../../../base/sql/typed-rows.ts";
import { countAcceptedByPage } from "./finish.ts";
import type {
  InsertResult,
  LoadFields,
  PageTallies,
  ReadFacts,
  RejectedRecord,
  StagedPage,
} from "./read-facts.ts";

// Staged files into event rows, a batch at a time.

export type Batch = {
  readonly folder: string;
  readonly pages: readonly StagedPage[];
};

/** The folders of a batch in which records are staged: with an id, and without one. */
export function listStagedFolders(folder: string): readonly string[] {
  return [join(folder, "named"), join(folder, "nameless")];
}

/** Where pages are staged: records with an id and records without are in files of their own. */
export type StagedFiles = { readonly named: string; readonly nameless: string };

/** The staged files that begin with a page, or all of a batch as globs. */
export function listStagedFiles(folder: string, firstPage: number | "*"): StagedFiles {
  const [named, nameless] = listStagedFolders(folder).map((kind) =>
    join(kind, `${firstPage}.ndjson`),
  );
  return { named: named!, nameless: nameless! };
}

/** Inserts a batch of one read, and invalid records into the rejects; counts both in `tallies`. */
export async function insertBatch(
  connection: DuckDBConnection,
  read: ReadFacts,
  batch: Batch,
  { fields, identity }: LoadFields,
  { accepted, rejected }: PageTallies,
): Promise<void> {
  const { pages } = batch;
  const expected = pages.reduce((sum, page) => sum + countRecordsToInsert(page), 0);
  for (const page of pages) accepted.set(page.page, countRecordsToInsert(page));
  let inserted = 0;
  if (expected > 0) {
    await defineIncoming(connection, toIncomingSql(fields, identity));
    for (const files of listFiles(batch))
      inserted += await insertIncoming(
        connection,
        read,
        files,
        countLineBytes(pages),
        countRecords(pages),
      );
  }
  for (const page of pages) {
    await addRejects(connection, listRejects(page), rejected);
    page.rejects = [];
  }
  // Each line gives at most one row, so equal numbers mean that all lines have a row.
  if (inserted === expected) return;
  const found = await countAcceptedByPage(connection, read.readId);
  for (const { page } of pages) accepted.set(page, found.get(page) ?? 0);
  const sumPage = (page: number): number => (accepted.get(page) ?? 0) + (rejected.get(page) ?? 0);
  const short = pages.filter(({ page, fetched }) => sumPage(page) !== fetched);
  await addRejects(connection, await findUnreadable(connection, batch.folder, short), rejected);
}

/** Converts a batch of several reads of one source to rows that wait; returns how many each page gave. */
export async function stageBatch(
  connection: DuckDBConnection,
  { folder, pages }: Batch,
  { source, windowMs }: Pick<ReadFacts, "source" | "windowMs">,
  { fields, identity }: LoadFields,
): Promise<ReadonlyMap<number, number>> {
  if (pages.every((page) => countRecordsToInsert(page) === 0)) return new Map();
  await defineIncoming(connection, toIncomingSql(fields, identity));
  const { named, nameless } = listStagedFiles(folder, "*");
  const values = { record_bytes: countLineBytes(pages), source, window_ms: windowMs };
  await runPlanned(connection, countRecords(pages), () =>
    runFile(connection, "queries/load/rows.sql#stage", {
      files: listValue([named, nameless]),
      ...values,
    }),
  );
  const shape = { page: count, accepted: count };
  const rows = await queryRows(connection, "queries/load/rows.sql#staged_counts", shape);
  return new Map(rows.map(({ page, accepted }) => [page, accepted]));
}

/** Inserts the rows of one read of a batch that `stageBatch` converted, in its transaction. */
export async function insertStaged(
  connection: DuckDBConnection,
  { readId, runId, seenAt }: ReadFacts,
  pages: readonly StagedPage[],
): Promise<InsertResult> {
  const rejected = new Map<number, number>();
  const first = pages[0]?.page ?? 0;
  await beginRejects(connection);
  if (pages.some((page) => countRecordsToInsert(page) > 0))
    await runFile(connection, "queries/load/rows.sql#insert_staged", {
      run_id: runId,
      read_id: readId,
      seen_at: seenAt,
      first_page: first,
      last_page: first + pages.length - 1,
    });
  const staged = pages.map((page) => ({ ...page, page: page.page - first }));
  for (const page of staged) await addRejects(connection, listRejects(page), rejected);
  const accepted = new Map(staged.map((page) => [page.page, countRecordsToInsert(page)]));
  return { staged, accepted, rejected };
}

function countRecordsToInsert({ fetched, rejects }: StagedPage): number {
  return fetched - rejects.length;
}

function countRecords(pages: readonly StagedPage[]): number {
  return pages.reduce((sum, page) => sum + page.fetched, 0);
}

// The database writes rows in groups. Equal records without an id get numbers after the insert, and each affected group
// is written again. With more than one group, such records are therefore placed together.
const rowsInGroup = 122_880;

function listFiles({ folder, pages }: Batch): DuckDBValue[] {
  const { named, nameless } = listStagedFiles(folder, "*");
  const files = countRecords(pages) > rowsInGroup ? [[named], [nameless]] : [[named, nameless]];
  return files.map((each) => listValue(each));
}

/** What a line of the pages takes at most; the database reads into buffers of twice this size. */
export function countLineBytes(pages: readonly StagedPage[]): number {
  return Math.max(1024 * 1024, ...pages.map(({ longest }) => longest + 1));
}

const defined = new WeakMap<DuckDBConnection, string>();

/** Defines the table macros `incoming` and `normalised` that the load reads from, where it is another one than last time. */
export async function defineIncoming(connection: DuckDBConnection, sql: string): Promise<void> {
  if (defined.get(connection) === sql) return;
  await connection.run(`${sql};\n${readAsset("queries/load/normalised.sql")}`);
  defined.set(connection, sql);
}

/** Makes event rows of what `incoming` gives of some files, `records` or fewer; returns how many. */
export function insertIncoming(
  connection: DuckDBConnection,
  read: ReadFacts,
  files: DuckDBValue,
  recordBytes: number,
  records: number,
): Promise<number> {
  return runPlanned(connection, records, () =>
    runFile(connection, "queries/load/rows.sql#insert", {
      files,
      record_bytes: recordBytes,
      source: read.source,
      run_id: read.runId,
      read_id: read.readId,
      seen_at: read.seenAt,
      window_ms: read.windowMs,
    }),
  );
}

const fewRecords = 20_000;
// About four row groups: what several threads save then is more than what the checkpoint writes again.
const manyRecords = 500_000;

/** Does a statement that makes rows of records, planned for about so many of them, and returns what that gives. */
export async function runPlanned<T>(
  connection: DuckDBConnection,
  records: number,
  statement: () => Promise<T>,
): Promise<T> {
  // Several threads leave row groups half full, which the checkpoint rewrites.
  await useThreads(connection, records > manyRecords ? "all" : "one");
  const plan = records > fewRecords ? "plan_many" : "plan_few";
  await connection.run(readSql(`queries/load/rows.sql#${plan}`));
  const end = (): Promise<unknown> => connection.run("reset disabled_optimizers");
  let given: T;
  try {
    given = await statement();
  } catch (error) {
    // A transaction that is aborted takes no statement; what it was aborted by is what counts.
    await end().catch(() => undefined);
    throw error;
  }
  await end();
  return given;
}

async function findUnreadable(
  connection: DuckDBConnection,
  folder: string,
  pages: readonly StagedPage[],
): Promise<RejectedRecord[]> {
  const { named, nameless } = listStagedFiles(folder, "*");
  const shape = { page: count, reason: text, recordText: text };
  const rows = await queryRows(connection, "queries/load/rows.sql#unreadable", shape, {
    files: listValue([named, nameless]),
    page_step: pageStep,
    pages: listValue(pages.map(({ page }) => page)),
    line_bytes: countLineBytes(pages),
    buffer_bytes: countLineBytes(pages) * 2,
  });
  const hashes = new Map(pages.map((p) => [p.page, p.sha256]));
  return rows.map(({ page, reason, recordText }) => {
    return { page, sha256: hashes.get(page) ?? "", reason, text: recordText };
  });
}

// Rejected records wait in the database, not in memory: a read can consist only of them.

const filled = new WeakSet<DuckDBConnection>();

/** Removes the rejects of reads before; what was removed for a read that was undone is there again. */
export async function beginRejects(connection: DuckDBConnection): Promise<void> {
  if (filled.has(connection)) await connection.run("delete from rejects");
}

function listRejects({ page, sha256, rejects }: StagedPage): RejectedRecord[] {
  return rejects.map((reject) => ({ page, sha256, ...reject }));
}

async function addRejects(
  connection: DuckDBConnection,
  rejected: readonly RejectedRecord[],
  counts: Map<number, number>,
): Promise<void> {
  if (rejected.length === 0) return;
  filled.add(connection);
  const appender = await connection.createAppender("rejects", "main", "temp");
  for (const { page, sha256, reason, text } of rejected) {
    appender.appendInteger(page);
    for (const value of [sha256, reason, text]) appender.appendVarchar(value);
    appender.endRow();
    counts.set(page, (counts.get(page) ?? 0) + 1);
  }
  appender.closeSync();
}
