import { AuditlakeError } from "../errors.ts";
import {
  type Action,
  type AddFile,
  entryName,
  logFolder,
  type MetaData,
  type Protocol,
  readEntry,
  versionOf,
} from "./log.ts";
import type { Store } from "./store.ts";

/** A table of the lake as of a version: -1 where there is none yet. */
export type Snapshot = {
  readonly version: number;
  readonly files: ReadonlyMap<string, AddFile>;
  readonly metaData: MetaData | undefined;
  readonly protocol: Protocol | undefined;
};

/** The tags of a file of ours: whose it is, of which day, and what it holds. */
export const tag = {
  ingester: "auditlake.ingester",
  digest: "auditlake.digest",
  look: "auditlake.look",
  sha256: "auditlake.sha256",
} as const;

export const noTable: Snapshot = {
  version: -1,
  files: new Map(),
  metaData: undefined,
  protocol: undefined,
};

/** The newest version of a table; `from` is one read before. Throws AuditlakeError where an entry of its log is missing. */
export async function readSnapshot(
  store: Store,
  table: string,
  from: Snapshot = noTable,
): Promise<Snapshot> {
  const after = from.version < 0 ? undefined : entryName(table, from.version);
  const names = (await store.list(logFolder(table), after)).map(({ name }) => name);
  let snapshot = from;
  for (const name of names.filter((each) => versionOf(each) !== undefined).sort())
    snapshot = await next(store, table, name, snapshot);
  return snapshot;
}

async function next(
  store: Store,
  table: string,
  name: string,
  before: Snapshot,
): Promise<Snapshot> {
  const version = versionOf(name)!;
  const bytes = await store.get(name);
  if (version !== before.version + 1 || bytes === undefined)
    throw new AuditlakeError(
      `table ${table} of the lake lacks the log entry of version ${before.version + 1}; put it back from a copy of ${store.place}`,
    );
  return applied(before, version, readEntry(name, bytes));
}

/** A snapshot after the actions of one more entry. */
export function applied(before: Snapshot, version: number, actions: readonly Action[]): Snapshot {
  const files = new Map(before.files);
  let { metaData, protocol } = before;
  for (const { add, remove, metaData: meta, protocol: rules } of actions) {
    if (remove) files.delete(remove.path);
    if (add) files.set(add.path, add);
    metaData = meta ?? metaData;
    protocol = rules ?? protocol;
  }
  return { version, files, metaData, protocol };
}
