import { join } from "node:path";
import { listValue, type DuckDBConnection, type DuckDBValue } from "@duckdb/node-api";
import { readAsset } from "../../../base/home/assets.ts";
import { toIncomingSql } from "../../../../schemas/generators/incoming.ts";
import { acceptedByPage } from "./finish.ts";
import type { LoadFields, ReadFacts, Rejected, StagedPage } from "./read-facts.ts";
import { addRejects, type RejectCounts } from "./rejects.ts";
import { queryFile, readSql, runFile } from "../../../base/sql/statements.ts";
import { useThreads } from "../../../base/sql/instance.ts";

// Staged files into event rows, a batch at a time.

/** A batch of staged files. */
export type Batch = {
  readonly folder: string;
  readonly pages: readonly StagedPage[];
};

/** The folders of a batch in which its pages are staged. */
export function stagedFolders(folder: string): readonly string[] {
  return [join(folder, "named"), join(folder, "nameless")];
}

/** Where a page is staged: records with an id and records without are in files of their own. */
export type StagedFiles = { readonly named: string; readonly nameless: string };

/** The staged files of a page, or of all pages of a batch as globs. */
export function stagedFiles(folder: string, page: number | "*"): StagedFiles {
  const [named, nameless] = stagedFolders(folder).map((kind) => join(kind, `${page}.ndjson`));
  return { named: named!, nameless: nameless! };
}

/** How many records of each page became rows, and how many went to the rejects. */
export type PageTallies = {
  readonly accepted: Map<number, number>;
  readonly rejected: RejectCounts;
};

/** Inserts the staged files of a batch, and what is no event into the rejects; both are counted in `tallies`. */
export async function insertBatch(
  connection: DuckDBConnection,
  read: ReadFacts,
  { folder, pages }: Batch,
  { fields, identity }: LoadFields,
  { accepted, rejected }: PageTallies,
): Promise<void> {
  const acceptable = pages.map((p) => p.fetched - p.rejects.length);
  for (const [i, { page }] of pages.entries()) accepted.set(page, acceptable[i]!);
  const expected = acceptable.reduce((sum, count) => sum + count, 0);
  let inserted = 0;
  if (expected > 0) {
    await defineIncoming(connection, toIncomingSql(fields, identity));
    const records = recordsIn(pages);
    for (const files of parts(folder, pages))
      inserted += await insertIncoming(
        connection,
        read,
        listValue(files),
        lineBytes(pages),
        records,
      );
  }
  await moveRejects(connection, pages, rejected);
  // A line gives one row at most, so that none lacks a row where there are as many rows as lines.
  if (inserted === expected) return;
  const found = await acceptedByPage(connection, read.readId);
  for (const { page } of pages) accepted.set(page, found.get(page) ?? 0);
  await rejectUnreadable(connection, { folder, pages }, { accepted, rejected });
}

async function rejectUnreadable(
  connection: DuckDBConnection,
  { folder, pages }: Batch,
  { accepted, rejected }: PageTallies,
): Promise<void> {
  const sum = (page: number): number => (accepted.get(page) ?? 0) + (rejected.get(page) ?? 0);
  const short = pages.filter(({ page, fetched }) => sum(page) !== fetched);
  await addRejects(connection, await unreadable(connection, folder, short), rejected);
}

const defined = new WeakMap<DuckDBConnection, string>();

/** Defines the table macros `incoming` and `normalised` that the load reads from, where it is another one than last time. */
export async function defineIncoming(connection: DuckDBConnection, sql: string): Promise<void> {
  if (defined.get(connection) === sql) return;
  await connection.run(`${sql};\n${readAsset("queries/load/normalised.sql")}`);
  defined.set(connection, sql);
}

const fewRecords = 20_000;
// About four row groups: what several threads save then is more than what the checkpoint writes again.
const manyRecords = 500_000;

/** Makes event rows of what `incoming` gives of some files, `records` or fewer; returns how many. */
export function insertIncoming(
  connection: DuckDBConnection,
  read: ReadFacts,
  files: DuckDBValue,
  recordBytes: number,
  records: number,
): Promise<number> {
  return planned(connection, records, () =>
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

/** Does a statement that makes rows of records, planned for about so many of them, and returns what that gives. */
export async function planned<T>(
  connection: DuckDBConnection,
  records: number,
  statement: () => Promise<T>,
): Promise<T> {
  // Several threads leave row groups half full, which the checkpoint writes once more.
  await useThreads(connection, records > manyRecords ? "all" : "one");
  await connection.run(
    readSql(`queries/load/rows.sql#plan_${records > fewRecords ? "many" : "few"}`),
  );
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

function recordsIn(pages: readonly StagedPage[]): number {
  return pages.reduce((sum, page) => sum + page.fetched, 0);
}

async function moveRejects(
  connection: DuckDBConnection,
  pages: readonly StagedPage[],
  counts: RejectCounts,
): Promise<void> {
  const withAny = pages.filter((p) => p.rejects.length > 0);
  for (const page of withAny) {
    const { page: number, sha256 } = page;
    const rejected = page.rejects.map((reject) => ({ page: number, sha256, ...reject }));
    await addRejects(connection, rejected, counts);
    page.rejects = [];
  }
}

// The database writes rows in groups. Equal records without an id are given numbers after they are inserted. Each group
// with such a one is then written again, so that they stand together where there is more than one group.
const rowsInGroup = 122_880;

function parts(folder: string, pages: readonly StagedPage[]): string[][] {
  const { named, nameless } = stagedFiles(folder, "*");
  return recordsIn(pages) > rowsInGroup ? [[named], [nameless]] : [[named, nameless]];
}

/** What a line of the pages takes at most; the database reads into buffers of twice this size. */
export function lineBytes(pages: readonly StagedPage[]): number {
  return Math.max(1024 * 1024, ...pages.map(({ longest }) => longest + 1));
}

async function unreadable(
  connection: DuckDBConnection,
  folder: string,
  pages: readonly StagedPage[],
): Promise<Rejected[]> {
  const files = pages.map(({ page }) => stagedFiles(folder, page));
  const rows = await queryFile(connection, "queries/load/rows.sql#unreadable", {
    files: listValue(files.flatMap(({ named, nameless }) => [named, nameless])),
    line_bytes: lineBytes(pages),
    buffer_bytes: lineBytes(pages) * 2,
  });
  const hashes = new Map(pages.map((p) => [p.page, p.sha256]));
  return rows.map((row) => ({
    page: Number(row["page"]),
    sha256: hashes.get(Number(row["page"])) ?? "",
    reason: String(row["reason"]),
    text: String(row["record_text"]),
  }));
}
