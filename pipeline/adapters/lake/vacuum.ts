import { randomUUID } from "node:crypto";
import { AuditlakeError } from "../../base/errors.ts";
import { type Publication, findPublicationAsOf, listPublicationsBefore } from "./publication.ts";
import type { ListedFile, Store } from "./store.ts";
import { lakeTables } from "./tables.ts";
import { parseCheckpoint, logFolder, readEntry, parseVersion } from "./log.ts";
import { findLastCheckpoint } from "./read-checkpoint.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";

/**
 * Lists the files that no reader of the last `keepMs` needs: Parquet files that were replaced before, or stored before
 * by an interrupted run, and the parts of a log before the checkpoint that those readers start with. A reader of a
 * publication needs what its tables contained then, also if a table has changed since without a publication. Times are
 * those of the store. Files that a home may still be writing are retained for a week. Throws AuditlakeError.
 */
export async function listUnneededFiles(store: Store, keepMs: number): Promise<UnneededFile[]> {
  const nowMs = await storeNowMs(store);
  const cutoffMs = nowMs - keepMs;
  const since = { cutoffMs, strayMs: Math.min(cutoffMs, nowMs - longestPublishMs) };
  const oldest = await findPublicationAsOf(store, cutoffMs);
  const all: UnneededFile[] = [];
  for (const { name } of lakeTables)
    all.push(...(await listUnneededOfTable(store, name, since, oldest)));
  return [...all, ...(await listLeftovers(store, since, oldest))];
}

// Another home may be putting files that it has not named yet, and before its first publication nothing names it either.
const longestPublishMs = 7 * 86_400_000;

// What belongs to no table: drafts and probes of runs that were killed, and publications before the oldest that counts.
async function listLeftovers(
  store: Store,
  { cutoffMs, strayMs }: TimeLimits,
  oldest: Publication | undefined,
): Promise<UnneededFile[]> {
  const listOld = (
    files: readonly ListedFile[],
    why: UnneededFile["why"],
    beforeMs = cutoffMs,
  ): UnneededFile[] =>
    files.flatMap(({ name, bytes, changedMs }) =>
      changedMs < beforeMs ? [{ name, bytes, why }] : [],
    );
  const publications = oldest === undefined ? [] : await listPublicationsBefore(store, oldest);
  return [
    ...listOld(await store.drafts(), "half written", strayMs),
    ...listOld(await store.list(probes), "a probe"),
    ...listOld(publications, "before a publication"),
  ];
}

const probes = "_probe/";

// Files are dated by the clock of the store, which can differ from the clock of this machine.
async function storeNowMs(store: Store): Promise<number> {
  const name = `${probes}${randomUUID()}`;
  await store.put(name, Buffer.from("now"));
  const found = (await store.list(probes)).find((file) => file.name === name);
  await store.remove(name);
  if (found !== undefined && Number.isFinite(found.changedMs)) return found.changedMs;
  throw new AuditlakeError(
    `the lake ${store.place} does not report the modification times of files; nothing was removed`,
  );
}

/** A file of the lake that is no longer needed, and why. */
type UnneededFile = {
  readonly name: string;
  readonly bytes: number;
  readonly why:
    | "replaced"
    | "named by nothing"
    | "before a checkpoint"
    | "half written"
    | "a probe"
    | "before a publication";
};

/** Moments of the store's clock: what was needed since the first stays, what nothing names and is newer than the other, too. */
type TimeLimits = { readonly cutoffMs: number; readonly strayMs: number };

/** The files of a table that no reader needs who begins with `oldest` or later. Throws AuditlakeError. */
async function listUnneededOfTable(
  store: Store,
  table: string,
  { cutoffMs, strayMs }: TimeLimits,
  oldest: Publication | undefined,
): Promise<UnneededFile[]> {
  const files = await store.list(`${table}/`);
  const oldestNeeded = findOldestVersion(table, files, cutoffMs, oldest);
  const { live, named, base } = await readNeededFiles(store, table, oldestNeeded, files);
  const getReason = (name: string): UnneededFile["why"] | undefined => {
    const version = parseVersion(name) ?? parseCheckpoint(name);
    if (version !== undefined) return version < base ? "before a checkpoint" : undefined;
    if (!name.endsWith(".parquet") || name.startsWith(logFolder(table)) || live.has(name))
      return undefined;
    return named.has(name) ? "replaced" : "named by nothing";
  };
  return files.flatMap(({ name, bytes, changedMs }): UnneededFile[] => {
    const why = changedMs < cutoffMs ? getReason(name) : undefined;
    if (why === undefined || (why === "named by nothing" && changedMs >= strayMs)) return [];
    return [{ name, bytes, why }];
  });
}

// The oldest version that may still be read: the newest before the time, or the one in the publication of that time.
// Versions before the oldest checkpoint of a log without its beginning are unreadable.
function findOldestVersion(
  table: string,
  files: readonly ListedFile[],
  cutoffMs: number,
  oldest: Publication | undefined,
): number {
  const entries = files.filter(({ name }) => parseVersion(name) !== undefined);
  const old = entries.filter(({ changedMs }) => changedMs < cutoffMs);
  const newest = Math.max(-1, ...old.map(({ name }) => parseVersion(name)!));
  const wanted = Math.min(newest, oldest?.tables[table]?.version ?? newest);
  if (entries.length === 0 || entries.some(({ name }) => parseVersion(name) === 0)) return wanted;
  return Math.max(wanted, Math.min(...files.flatMap(({ name }) => parseCheckpoint(name) ?? [])));
}

type NeededFiles = {
  readonly live: ReadonlySet<string>;
  /** Files that the log marks as removed. */
  readonly named: ReadonlySet<string>;
  /** The checkpoint that readers begin with. */
  readonly base: number;
};

async function readNeededFiles(
  store: Store,
  table: string,
  oldestNeeded: number,
  listed: readonly ListedFile[],
): Promise<NeededFiles> {
  const { files, removed, checkpoint } = await readSnapshot(store, table, { upTo: oldestNeeded });
  const resolveName = (path: string): string => `${table}/${decodeURIComponent(path)}`;
  const newest = await readSnapshot(store, table);
  const live = new Set([...files.keys(), ...newest.files.keys()].map(resolveName));
  const named = new Set([...removed.keys()].map(resolveName));
  for (const { name } of listed.filter((file) => (parseVersion(file.name) ?? -1) > oldestNeeded))
    for (const { add } of readEntry(name, await readLogEntry(store, name)))
      if (add) live.add(resolveName(add.path));
  return { live, named, base: await findBase(store, table, checkpoint, listed) };
}

// Some readers start at the hint, which a killed publisher left at the previous checkpoint.
async function findBase(
  store: Store,
  table: string,
  checkpoint: number,
  listed: readonly ListedFile[],
): Promise<number> {
  const hint = await findLastCheckpoint(store, table);
  const isThere = listed.some(({ name }) => parseCheckpoint(name) === hint);
  return hint !== undefined && isThere ? Math.min(checkpoint, hint) : checkpoint;
}

async function readLogEntry(store: Store, name: string): Promise<Buffer> {
  const bytes = await store.get(name);
  if (bytes !== undefined) return bytes;
  throw new AuditlakeError(`the lake ${store.place} lost ${name} just now`);
}

/** Lists the files of rows that no entry in the log of a table names, neither as added nor as removed. */
export async function listUnnamedFiles(
  store: Store,
  table: string,
  { files, removed }: Pick<Snapshot, "files" | "removed">,
): Promise<ListedFile[]> {
  const listed = await store.list(`${table}/`);
  const resolveName = (path: string): string => `${table}/${decodeURIComponent(path)}`;
  const named = new Set([...files.keys(), ...removed.keys()].map(resolveName));
  const isUnnamed = ({ name }: ListedFile): boolean =>
    name.endsWith(".parquet") && !name.startsWith(logFolder(table)) && !named.has(name);
  const unnamed = listed.filter(isUnnamed);
  if (unnamed.length === 0) return [];
  // A checkpoint omits files replaced long before it; earlier entries have them, as long as they exist.
  for (const { name } of listed.filter((file) => parseVersion(file.name) !== undefined)) {
    const bytes = await store.get(name);
    if (bytes === undefined) continue;
    for (const { add } of readEntry(name, bytes)) if (add) named.add(resolveName(add.path));
  }
  return unnamed.filter(isUnnamed);
}
