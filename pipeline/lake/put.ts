import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import type { OwnFiles } from "./changes.ts";
import type { AddFile } from "./log.ts";
import { mergedDay } from "./pruned.ts";
import { type Publisher, type PutFile, refuseInterrupted } from "./publisher.ts";
import type { Relation } from "./relation.ts";
import { tag } from "./snapshot.ts";
import { type Written, writeParquet } from "./write.ts";

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
  pruned: OwnFiles,
): Promise<Put> {
  const { connection, folder, store } = publisher;
  const limit = pLimit(uploads);
  const under: Promise<{ add: AddFile; file: PutFile }[]>[] = [];
  for (const [i, day] of days.entries()) {
    refuseInterrupted(publisher);
    const old = pruned.get(day);
    const own = join(folder, `day-${i}`);
    const from = old && (await mergedDay(connection, relation, day, old, store, own));
    const written = await writeParquet(connection, relation, day, own, from);
    const task = limit(async () => {
      const put = [];
      for (const file of written) put.push(await putFile(publisher, relation, day, file, tagsOf));
      await rm(own, { recursive: true, force: true });
      return put;
    });
    task.catch(() => undefined);
    under.push(task);
    if (limit.pendingCount > uploads) await under.at(-uploads)!;
  }
  const all = (await Promise.all(under)).flat();
  return { add: all.map(({ add }) => add), files: all.map(({ file }) => file) };
}

async function putFile(
  { store, ingester, nowMs }: Publisher,
  { table: { name: table, day: kept } }: Relation,
  day: string,
  { path: local, rows, bytes, sha256, stats }: Written,
  tagsOf: (day: string) => Readonly<Record<string, string>>,
): Promise<{ add: AddFile; file: PutFile }> {
  const path = `${kept ? `${kept.column}=${day}/` : ""}${randomUUID()}.parquet`;
  await store.upload(`${table}/${path}`, local, sha256);
  const partitionValues = kept ? { [kept.column]: day } : {};
  const tags = { [tag.ingester]: ingester, ...tagsOf(day), [tag.sha256]: sha256 };
  const when = { modificationTime: nowMs, dataChange: true };
  return {
    add: { path, partitionValues, size: bytes, ...when, stats, tags },
    file: { table, path, rows, bytes, sha256 },
  };
}
