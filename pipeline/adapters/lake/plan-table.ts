import { computeSha256 } from "../../base/home/durable.ts";
import { isMissingColumns } from "./commit.ts";
import {
  type ByDay,
  readDigests,
  hashForm,
  readLooks,
  type Relation,
  writeSchema,
} from "./relation.ts";
import type { AddFile } from "./log.ts";
import { isBeforeMark } from "./merge-day.ts";
import type { Changes, Publisher } from "./publisher.ts";
import { type OwnFiles, groupOwnFiles, type Snapshot, tag, readTag } from "./snapshot.ts";

export type TablePlan = {
  readonly relation: Relation;
  readonly snapshot: Snapshot;
  readonly own: OwnFiles;
  readonly found: FoundDays;
  readonly changes: Changes;
  /** Files whose rows stay, with other tags. */
  readonly labels: readonly AddFile[];
  /** Files of days before the prune mark: rows of theirs stay. */
  readonly immutable: OwnFiles;
  readonly isChanged: boolean;
};

/** Compares a table of the lake, as it was read before, with the database. Throws AuditlakeError. */
export async function planTable(
  publisher: Publisher,
  relation: Relation,
  snapshot: Snapshot,
  mark: string,
): Promise<TablePlan> {
  const { name: table, day } = relation.table;
  const { metaData } = snapshot;
  const isIncomplete =
    metaData === undefined || isMissingColumns(table, writeSchema(relation), metaData);
  const own = groupOwnFiles(snapshot, publisher.ingester, day?.column);
  const found = await lookAt(publisher, relation, own);
  const isFrozen = (each: string): boolean => isBeforeMark(mark, relation.table, each);
  // Of a day before the prune mark, only a copy of the file helps.
  const damaged = publisher.isFull ? await listDamagedDays(publisher, table, own) : [];
  const lost = new Set([...damaged].filter((each) => !isFrozen(each)));
  const changes = findChanges(own, found, lost, isFrozen);
  const labels = relabelFiles(own, found, changes.written);
  const immutable = new Map([...own].filter(([each]) => isFrozen(each)));
  const isChanged =
    isIncomplete || [changes.written, changes.gone, labels].some((one) => one.length > 0);
  return { relation, snapshot, own, found, changes, labels, immutable, isChanged };
}

async function lookAt(
  { connection, isFull }: Publisher,
  relation: Relation,
  own: OwnFiles,
): Promise<FoundDays> {
  const looks = await readLooks(connection, relation);
  const close = isFull ? [...looks.keys()] : listSuspects(own, looks, hashForm(relation));
  const digests =
    close.length === 0 ? new Map<string, string>() : await readDigests(connection, relation, close);
  return { looks, digests };
}

/** A table in the database: a quick hash of each day, and the digests of the days that were looked at closely. */
export type FoundDays = { readonly looks: ByDay; readonly digests: ByDay };

/**
 * The days that have to be looked at closely. They look otherwise than they did when they were put there, or were put
 * there with other columns (`form`).
 */
export function listSuspects(own: OwnFiles, looks: ByDay, form: string): string[] {
  return [...looks].flatMap(([day, look]) => {
    const files = own.get(day);
    const isSame = readTag(files, tag.look) === look && readTag(files, tag.digest)?.endsWith(form);
    return isSame ? [] : [day];
  });
}

/** Finds the changes of a table; `lost` are days whose files the lake lost, and days that `isFrozen` stay. */
export function findChanges(
  own: OwnFiles,
  { looks, digests }: FoundDays,
  lost: ReadonlySet<string>,
  isFrozen: (day: string) => boolean,
): Changes {
  const written = [...digests].flatMap(([day, digest]) =>
    readTag(own.get(day), tag.digest) === digest && !lost.has(day) ? [] : [day],
  );
  const gone = [...own.keys()].filter((day) => !looks.has(day) && !isFrozen(day));
  return { written: written.sort(), gone: gone.sort() };
}

/** Files of days that look otherwise and hold the same, as after another version of the database, with their new look. */
export function relabelFiles(
  own: OwnFiles,
  { looks, digests }: FoundDays,
  written: readonly string[],
): AddFile[] {
  return [...digests].flatMap(([day, digest]) => {
    const files = written.includes(day) ? [] : (own.get(day) ?? []);
    if (readTag(files, tag.digest) !== digest || readTag(files, tag.look) === looks.get(day))
      return [];
    const look = { [tag.look]: looks.get(day)! };
    return files.map((file) => ({ ...file, dataChange: false, tags: { ...file.tags, ...look } }));
  });
}

// Lists the days of a table with a missing or changed file in the lake.
async function listDamagedDays(
  publisher: Publisher,
  table: string,
  own: OwnFiles,
): Promise<ReadonlySet<string>> {
  const damaged = new Set<string>();
  for (const [day, files] of own)
    for (const file of files)
      if (!damaged.has(day) && typeof (await readWhole(publisher, table, file)) === "string")
        damaged.add(day);
  return damaged;
}

/** Reads a file of the lake, and compares its bytes with the log and with the home's own record. */
export async function readWhole(
  { store, recorded }: Pick<Publisher, "store" | "recorded">,
  table: string,
  { path, tags }: AddFile,
): Promise<Buffer | "is missing" | "has changed since it was published"> {
  const name = `${table}/${decodeURIComponent(path)}`;
  const bytes = await store.get(name);
  if (bytes === undefined) return "is missing";
  const sha256 = computeSha256(bytes);
  const logged = tags?.[tag.sha256];
  const isWhole = sha256 === logged && sha256 === (recorded?.get(name) ?? logged);
  return isWhole ? bytes : "has changed since it was published";
}
