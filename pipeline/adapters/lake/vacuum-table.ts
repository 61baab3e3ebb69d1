import { AuditlakeError } from "../../base/errors.ts";
import { checkpointOf, logFolder, readEntry, versionOf } from "./log.ts";
import type { Publication } from "./publication.ts";
import { lastCheckpoint } from "./read-checkpoint.ts";
import { readSnapshot } from "./snapshot.ts";
import type { Listed, Store } from "./store.ts";

/** A file of the lake that nobody needs any more, and why. */
export type Unneeded = {
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
export type Since = { readonly cutoffMs: number; readonly strayMs: number };

/** The files of a table that no reader needs who begins with `oldest` or later. Throws AuditlakeError. */
export async function unneededOf(
  store: Store,
  table: string,
  { cutoffMs, strayMs }: Since,
  oldest: Publication | undefined,
): Promise<Unneeded[]> {
  const files = await store.list(`${table}/`);
  const floor = floorOf(table, files, cutoffMs, oldest);
  const { live, named, base } = await neededFiles(store, table, floor, files);
  const whyOf = (name: string): Unneeded["why"] | undefined => {
    const version = versionOf(name) ?? checkpointOf(name);
    if (version !== undefined) return version < base ? "before a checkpoint" : undefined;
    if (!name.endsWith(".parquet") || name.startsWith(logFolder(table)) || live.has(name))
      return undefined;
    return named.has(name) ? "replaced" : "named by nothing";
  };
  return files.flatMap(({ name, bytes, changedMs }): Unneeded[] => {
    const why = changedMs < cutoffMs ? whyOf(name) : undefined;
    if (why === undefined || (why === "named by nothing" && changedMs >= strayMs)) return [];
    return [{ name, bytes, why }];
  });
}

// The oldest version that somebody may be reading: the newest before the time, or what the publication of then says. What
// is before the oldest checkpoint of a log that lacks its beginning, nobody can read.
function floorOf(
  table: string,
  files: readonly Listed[],
  cutoffMs: number,
  oldest: Publication | undefined,
): number {
  const entries = files.filter(({ name }) => versionOf(name) !== undefined);
  const old = entries.filter(({ changedMs }) => changedMs < cutoffMs);
  const newest = Math.max(-1, ...old.map(({ name }) => versionOf(name)!));
  const wanted = Math.min(newest, oldest?.tables[table]?.version ?? newest);
  if (entries.length === 0 || entries.some(({ name }) => versionOf(name) === 0)) return wanted;
  return Math.max(wanted, Math.min(...files.flatMap(({ name }) => checkpointOf(name) ?? [])));
}

type Needed = {
  readonly live: ReadonlySet<string>;
  /** Files that the log tells to have been taken out. */
  readonly named: ReadonlySet<string>;
  /** The checkpoint that readers begin with. */
  readonly base: number;
};

async function neededFiles(
  store: Store,
  table: string,
  floor: number,
  listed: readonly Listed[],
): Promise<Needed> {
  const { files, removed, checkpoint } = await readSnapshot(store, table, { upTo: floor });
  const nameOf = (path: string): string => `${table}/${decodeURIComponent(path)}`;
  const newest = await readSnapshot(store, table);
  const live = new Set([...files.keys(), ...newest.files.keys()].map(nameOf));
  const named = new Set([...removed.keys()].map(nameOf));
  for (const { name } of listed.filter((file) => (versionOf(file.name) ?? -1) > floor))
    for (const { add } of readEntry(name, await entryOf(store, name)))
      if (add) live.add(nameOf(add.path));
  return { live, named, base: await baseOf(store, table, checkpoint, listed) };
}

// Some readers begin where the hint says, which a publisher that was killed left at the checkpoint before.
async function baseOf(
  store: Store,
  table: string,
  checkpoint: number,
  listed: readonly Listed[],
): Promise<number> {
  const hint = await lastCheckpoint(store, table);
  const isThere = listed.some(({ name }) => checkpointOf(name) === hint);
  return hint !== undefined && isThere ? Math.min(checkpoint, hint) : checkpoint;
}

async function entryOf(store: Store, name: string): Promise<Buffer> {
  const bytes = await store.get(name);
  if (bytes !== undefined) return bytes;
  throw new AuditlakeError(`the lake ${store.place} lost ${name} just now`);
}
