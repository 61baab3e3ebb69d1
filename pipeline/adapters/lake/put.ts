import type { DuckDBConnection } from "@duckdb/node-api";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import type { OwnFiles } from "./changes.ts";
import { keptAs } from "./held.ts";
import type { Kept } from "./kept.ts";
import type { AddFile } from "./log.ts";
import { mergedDay } from "./pruned.ts";
import { type Publisher, type PutFile, refuseInterrupted } from "./publisher.ts";
import type { Relation } from "./relation.ts";
import { tag } from "./snapshot.ts";
import type { WholeJobs } from "./whole-jobs.ts";
import { type Written, writeParquet } from "./write.ts";
import { openWriters } from "./writers.ts";

/** Files that lie in the lake, and how its log is to name them. */
export type Put = { readonly add: readonly AddFile[]; readonly files: readonly PutFile[] };

// The next files are written while these are on their way.
const uploads = 4;

/** Writes the rows of each day and puts the files into the lake, where no reader sees them yet. */
export async function putDays(
  publisher: Publisher,
  relation: Relation,
  days: readonly string[],
  tagsOf: (day: string) => Readonly<Record<string, string>>,
  lake: Others,
): Promise<Put> {
  const limit = pLimit(uploads);
  const under: Promise<Put>[] = [];
  const left = each(days);
  await using writers = await openWriters(publisher, relation, days.length);
  const work = async (connection: DuckDBConnection): Promise<void> => {
    for (const [i, day] of left) {
      refuseInterrupted(publisher);
      const own = join(publisher.folder, `day-${i}`);
      const written = await writeDay({ ...publisher, connection }, relation, day, own, lake);
      const task = limit(() =>
        putDay(publisher, relation, day, { ...written, folder: own }, tagsOf),
      );
      task.catch(() => undefined);
      under.push(task);
      if (limit.pendingCount > uploads) await under.at(-uploads)!;
    }
  };
  await allDone(writers.connections.map(work));
  const all = await Promise.all(under);
  return { add: all.flatMap(({ add }) => add), files: all.flatMap(({ files }) => files) };
}

// Whoever leaves the loop by an error ends it for the others, too.
function* each(days: readonly string[]): Generator<[number, string]> {
  yield* days.entries();
}

async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function writeDay(
  { connection, store }: Publisher,
  relation: Relation,
  day: string,
  folder: string,
  { files, kept, whole, held }: Others,
): Promise<WrittenDay> {
  const old = files.get(day);
  if (old === undefined && whole === undefined)
    return { written: await writeParquet(connection, relation, day, folder), as: undefined };
  const isHeld = held.has(day);
  const lake = { store, files: old ?? [], folder, kept, whole, isHeld };
  const { from, isOther } = await mergedDay(connection, relation, day, lake);
  const written = await writeParquet(connection, relation, day, folder, from);
  return { written, as: isOther ? (isHeld ? keptAs.rows : keptAs.jobs) : undefined };
}

/** What files are said to hold of a day that the database has nothing of. */
export const nothing = "0";

/** What only the lake has: files of days that it may have more of than the database, and jobs as they are whole. */
export type Others = {
  readonly files: OwnFiles;
  readonly kept: Kept;
  readonly whole: WholeJobs | undefined;
  /** Days of which all rows stay that the database lacks. */
  readonly held: ReadonlySet<string>;
};

type WrittenDay = { readonly written: readonly Written[]; readonly as: string | undefined };

async function putDay(
  publisher: Publisher,
  relation: Relation,
  day: string,
  { written, as, folder }: WrittenDay & { readonly folder: string },
  tagsOf: (day: string) => Readonly<Record<string, string>>,
): Promise<Put> {
  const put = [];
  const tags: Readonly<Record<string, string>> = {
    ...tagsOf(day),
    ...(as === undefined ? {} : { [tag.kept]: as }),
  };
  // A day whose rows all stand elsewhere has a file without any, which shows that it was looked at.
  const files = written.filter(({ rows }) => rows > 0 || tags[tag.look] !== nothing);
  for (const file of files) put.push(await putFile(publisher, relation, day, file, tags));
  await rm(folder, { recursive: true, force: true });
  return { add: put.map(({ add }) => add), files: put.map(({ file }) => file) };
}

async function putFile(
  { store, ingester, nowMs }: Publisher,
  { table: { name: table, day: kept } }: Relation,
  day: string,
  { path: local, rows, bytes, sha256, stats }: Written,
  dayTags: Readonly<Record<string, string>>,
): Promise<{ add: AddFile; file: PutFile }> {
  const path = `${kept ? `${kept.column}=${day}/` : ""}${randomUUID()}.parquet`;
  await store.upload(`${table}/${path}`, local, sha256);
  const partitionValues = kept ? { [kept.column]: day } : {};
  const tags = { [tag.ingester]: ingester, ...dayTags, [tag.sha256]: sha256 };
  const when = { modificationTime: nowMs, dataChange: true };
  return {
    add: { path, partitionValues, size: bytes, ...when, stats, tags },
    file: { table, path, rows, bytes, sha256 },
  };
}
