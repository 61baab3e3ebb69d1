import { AuditlakeError } from "../../base/errors.ts";
import {
  type Action,
  type AddFile,
  formatVersion,
  formatCheckpointName,
  parseCheckpoint,
  formatEntryName,
  logFolder,
  type MetaData,
  type Protocol,
  readEntry,
  type RemoveFile,
  parseVersion,
} from "./log.ts";
import { findLastCheckpoint, readCheckpoint } from "./read-checkpoint.ts";
import type { Store } from "./store.ts";

/** A table of the lake as of a version; -1 for a new table. */
export type Snapshot = {
  readonly version: number;
  /** The version of the newest checkpoint in its log, -1 without one. */
  readonly checkpoint: number;
  readonly files: ReadonlyMap<string, AddFile>;
  /** Removed files, as recorded by checkpoints for a while. */
  readonly removed: ReadonlyMap<string, RemoveFile>;
  readonly metaData: MetaData | undefined;
  readonly protocol: Protocol | undefined;
};

/** Tags of our files: their ingester, day and content. */
export const tag = {
  ingester: "auditlake.ingester",
  digest: "auditlake.digest",
  look: "auditlake.look",
  sha256: "auditlake.sha256",
} as const;

const noTable: Snapshot = {
  version: -1,
  checkpoint: -1,
  files: new Map(),
  removed: new Map(),
  metaData: undefined,
  protocol: undefined,
};

/**
 * A table at its newest version, or at a named one: from the newest checkpoint before that on, or from `from`, which was
 * read before. Throws AuditlakeError where an entry of its log is missing.
 */
export async function readSnapshot(
  store: Store,
  table: string,
  { from = noTable, upTo = Number.POSITIVE_INFINITY }: { from?: Snapshot; upTo?: number } = {},
): Promise<Snapshot> {
  const names = await listNamesAfter(store, table, from, upTo);
  const versions = names.flatMap((name) => parseCheckpoint(name) ?? []);
  const checkpoint = Math.max(-1, ...versions.filter((version) => version <= upTo));
  refuseTruncated(store, table, names, checkpoint, from);
  const isRecent = from.version >= checkpoint;
  let snapshot = isRecent ? from : await readCheckpointSnapshot(store, table, checkpoint);
  const firstVersion = snapshot.version;
  for (const name of names) {
    const version = parseVersion(name);
    if (version === undefined || version <= firstVersion || version > upTo) continue;
    snapshot = await applyEntry(store, table, name, snapshot);
  }
  return { ...snapshot, checkpoint: Math.max(checkpoint, from.checkpoint) };
}

// A log without its first entries does not show that the versions before its first checkpoint were empty.
function refuseTruncated(
  store: Store,
  table: string,
  names: readonly string[],
  checkpoint: number,
  from: Snapshot,
): void {
  if (from.version >= 0 || checkpoint >= 0) return;
  const first = Math.min(
    ...names.flatMap((name) => parseVersion(name) ?? parseCheckpoint(name) ?? []),
  );
  if (Number.isFinite(first) && first > 0) throw newMissingVersionError(store, table, 0);
}

// Lists the names of the log in order, from the first one needed. `_last_checkpoint` is only a hint.
async function listNamesAfter(
  store: Store,
  table: string,
  from: Snapshot,
  upTo: number,
): Promise<string[]> {
  const listLog = async (after?: string): Promise<string[]> =>
    (await store.list(logFolder(table), after)).map(({ name }) => name).sort();
  if (from.version >= 0) return listLog(formatEntryName(table, from.version));
  const hint = await findLastCheckpoint(store, table);
  if (hint === undefined || hint > upTo) return listLog();
  const names = await listLog(formatVersion(table, hint));
  return names.includes(formatCheckpointName(table, hint)) ? names : listLog();
}

async function readCheckpointSnapshot(
  store: Store,
  table: string,
  version: number,
): Promise<Snapshot> {
  const name = formatCheckpointName(table, version);
  const bytes = await store.get(name);
  if (bytes === undefined) throw newMissingVersionError(store, table, version);
  return applyActions(noTable, version, await readCheckpoint(name, bytes));
}

async function applyEntry(
  store: Store,
  table: string,
  name: string,
  before: Snapshot,
): Promise<Snapshot> {
  const version = parseVersion(name)!;
  const bytes = await store.get(name);
  if (version !== before.version + 1 || bytes === undefined)
    throw newMissingVersionError(store, table, before.version + 1);
  return applyActions(before, version, readEntry(name, bytes));
}

function newMissingVersionError({ place }: Store, table: string, version: number): AuditlakeError {
  return new AuditlakeError(
    `table ${table} of the lake has no log entry of version ${version}; restore it from a copy of ${place}`,
  );
}

/** A snapshot after the actions of one more entry. */
export function applyActions(
  before: Snapshot,
  version: number,
  actions: readonly Action[],
): Snapshot {
  const [files, removed] = [new Map(before.files), new Map(before.removed)];
  let { metaData, protocol } = before;
  for (const { add, remove, metaData: meta, protocol: rules } of actions) {
    if (remove) {
      files.delete(remove.path);
      removed.set(remove.path, remove);
    }
    if (add) {
      files.set(add.path, add);
      removed.delete(add.path);
    }
    metaData = meta ?? metaData;
    protocol = rules ?? protocol;
  }
  return { ...before, version, files, removed, metaData, protocol };
}

export type OwnFiles = ReadonlyMap<string, readonly AddFile[]>;

export function groupOwnFiles(
  { files }: Snapshot,
  ingester: string,
  column: string | undefined,
): OwnFiles {
  const own = [...files.values()].filter(({ tags }) => tags?.[tag.ingester] === ingester);
  return Map.groupBy(own, ({ partitionValues }) =>
    column === undefined ? "" : (partitionValues[column] ?? ""),
  );
}

/** Returns the value of a tag of a day's files; undefined if it is missing or differs. */
export function readTag(files: readonly AddFile[] | undefined, name: string): string | undefined {
  const values = new Set(files?.map(({ tags }) => tags?.[name]));
  return values.size === 1 ? [...values][0] : undefined;
}
