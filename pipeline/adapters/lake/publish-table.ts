import type { DuckDBConnection } from "@duckdb/node-api";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { checkpointIfDue } from "./checkpoint.ts";
import { commit } from "./commit.ts";
import type { AddFile } from "./log.ts";
import { mergeDay } from "./merge-day.ts";
import type { TablePlan } from "./plan-table.ts";
import { type Published, type Publisher, type PutFile, refuseInterrupted } from "./publisher.ts";
import { type Relation, schemaOf } from "./relation.ts";
import { tag } from "./snapshot.ts";
import { openWriters, writeParquet, type Written } from "./write.ts";

/** Changes a table of the lake as planned, by one commit if anything differs. Throws AuditlakeError. */
export async function publishTable(publisher: Publisher, plan: TablePlan): Promise<Published> {
  const { relation, snapshot, own, changes, labels } = plan;
  const { name: table, day } = relation.table;
  const { version } = snapshot;
  if (!plan.isChanged) return { ...changes, table, version, files: [] };
  if (publisher.isDryRun) return { ...changes, table, version: version + 1, files: [] };
  const { add, files } = await putDays(publisher, plan);
  const remove = [...changes.written, ...changes.gone].flatMap((each) => own.get(each) ?? []);
  await publisher.record(files);
  const schema = schemaOf(relation);
  const change = { table, dayColumn: day?.column, schema, add: [...add, ...labels], remove };
  const after = await commit(change, snapshot, publisher);
  await checkpointIfDue(publisher, table, after);
  return { ...changes, table, version: after.version, files };
}

/** Files that lie in the lake, and how its log is to name them. */
type Put = { readonly add: readonly AddFile[]; readonly files: readonly PutFile[] };

// The next files are written while these are on their way.
const uploads = 4;

/** Writes the rows of each day and puts the files into the lake, where no reader sees them yet. */
async function putDays(publisher: Publisher, plan: TablePlan): Promise<Put> {
  const days = plan.changes.written;
  const limit = pLimit(uploads);
  const under: Promise<Put>[] = [];
  const left = each(days);
  await using writers = await openWriters(publisher, plan.relation, days.length);
  const work = async (connection: DuckDBConnection): Promise<void> => {
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
  { relation, immutable }: TablePlan,
  day: string,
  folder: string,
): Promise<Written[]> {
  const files = immutable.get(day);
  if (files === undefined) return writeParquet(connection, relation, day, folder);
  const merged = await mergeDay(connection, relation, day, { store, files, folder });
  return writeParquet(connection, relation, day, folder, merged);
}

async function putDay(
  publisher: Publisher,
  { relation, found: { looks, digests } }: TablePlan,
  day: string,
  { written, folder }: { readonly written: readonly Written[]; readonly folder: string },
): Promise<Put> {
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
