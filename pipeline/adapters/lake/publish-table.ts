import type { DuckDBConnection } from "@duckdb/node-api";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { writeDueCheckpoint } from "./checkpoint.ts";
import { commitChange } from "./commit.ts";
import type { AddFile } from "./log.ts";
import { mergeDay } from "./merge-day.ts";
import type { TablePlan } from "./plan-table.ts";
import {
  type PublishedTable,
  type Publisher,
  type PutFile,
  refuseInterrupted,
} from "./publisher.ts";
import { type Relation, writeSchema } from "./relation.ts";
import { tag } from "./snapshot.ts";
import { openWriters, writeParquet, type WrittenFile } from "./write.ts";

/** Changes a table of the lake as planned, by one commit if anything differs. Throws AuditlakeError. */
export async function publishTable(publisher: Publisher, plan: TablePlan): Promise<PublishedTable> {
  const { relation, snapshot, own, changes, labels } = plan;
  const { name: table, day } = relation.table;
  const { version } = snapshot;
  if (!plan.isChanged) return { ...changes, table, version, files: [] };
  if (publisher.isDryRun) return { ...changes, table, version: version + 1, files: [] };
  const { add, files } = await putDays(publisher, plan);
  const remove = [...changes.written, ...changes.gone].flatMap((each) => own.get(each) ?? []);
  await publisher.record(files);
  const schema = writeSchema(relation);
  const change = { table, dayColumn: day?.column, schema, add: [...add, ...labels], remove };
  const after = await commitChange(change, snapshot, publisher);
  await writeDueCheckpoint(publisher, table, after);
  return { ...changes, table, version: after.version, files };
}

/** Files that lie in the lake, and how its log is to name them. */
type PutResult = { readonly add: readonly AddFile[]; readonly files: readonly PutFile[] };

// The next files are written while these are on their way.
const uploads = 4;

/** Writes the rows of each day and puts the files into the lake, where no reader sees them yet. */
async function putDays(publisher: Publisher, plan: TablePlan): Promise<PutResult> {
  const days = plan.changes.written;
  const limit = pLimit(uploads);
  const under: Promise<PutResult>[] = [];
  const left = listBatches(days);
  await using writers = await openWriters(publisher, plan.relation, days.length);
  const writeDays = async (connection: DuckDBConnection): Promise<void> => {
    for (const [i, day] of left) {
      refuseInterrupted(publisher);
      const folder = join(publisher.folder, `day-${i}`);
      const written = await writeDay({ ...publisher, connection }, plan, day, folder);
      const task = limit(() => putDay(publisher, plan, day, { written, folder }));
      task.catch(() => undefined);
      under.push(task);
      if (limit.pendingCount > uploads) await under.at(-uploads)!;
    }
  };
  await awaitAll(writers.connections.map(writeDays));
  const all = await Promise.all(under);
  return { add: all.flatMap(({ add }) => add), files: all.flatMap(({ files }) => files) };
}

// A worker that fails ends the loop for the others, too.
function* listBatches(days: readonly string[]): Generator<[number, string]> {
  yield* days.entries();
}

async function awaitAll(work: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(work);
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function writeDay(
  { connection, store }: Publisher,
  { relation, immutable }: TablePlan,
  day: string,
  folder: string,
): Promise<WrittenFile[]> {
  const files = immutable.get(day);
  if (files === undefined) return writeParquet(connection, relation, day, folder);
  const merged = await mergeDay(connection, relation, day, { store, files, folder });
  return writeParquet(connection, relation, day, folder, merged);
}

async function putDay(
  publisher: Publisher,
  { relation, found: { looks, digests } }: TablePlan,
  day: string,
  { written, folder }: { readonly written: readonly WrittenFile[]; readonly folder: string },
): Promise<PutResult> {
  const put = [];
  const tags = { [tag.digest]: digests.get(day)!, [tag.look]: looks.get(day)! };
  for (const file of written.filter(({ rows }) => rows > 0))
    put.push(await putFile(publisher, relation, day, file, tags));
  await rm(folder, { recursive: true, force: true });
  return { add: put.map(({ add }) => add), files: put.map(({ file }) => file) };
}

async function putFile(
  { store, ingester, nowMs }: Publisher,
  { table: { name: table, day: kept } }: Relation,
  day: string,
  { path: local, rows, bytes, sha256, stats }: WrittenFile,
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
