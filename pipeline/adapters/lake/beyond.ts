import { ownFiles } from "./changes.ts";
import type { Beyond } from "./claims.ts";
import { entryName, readEntry } from "./log.ts";
import type { Publication } from "./publication.ts";
import type { Publisher } from "./publisher.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";
import type { Store } from "./store.ts";

/** The tables of a lake by their names, each at its newest version. */
export type Snapshots = ReadonlyMap<string, Snapshot>;

/** Reads the log of each table. Throws AuditlakeError where an entry is missing. */
export async function readSnapshots({ store, tables }: Publisher): Promise<Snapshots> {
  const read = new Map<string, Snapshot>();
  for (const { name } of tables) read.set(name, await readSnapshot(store, name));
  return read;
}

/**
 * What the lake has of an ingester whatever its last publication says. A publisher that was killed has committed tables
 * that no publication names.
 */
export async function beyondOf(
  { store, ingester, tables }: Publisher,
  snapshots: Snapshots,
  before: Publication | undefined,
): Promise<Beyond> {
  const reads = new Set<string>();
  let lastDay: string | undefined;
  for (const { name, day } of tables) {
    const snapshot = snapshots.get(name)!;
    const days = day === undefined ? [] : [...ownFiles(snapshot, ingester, day.column).keys()];
    for (const each of days) if (lastDay === undefined || each > lastDay) lastDay = each;
    const since = before?.tables[name]?.version ?? -1;
    for (const read of await readsSince(store, name, snapshot, { ingester, since }))
      reads.add(read);
  }
  return { reads: [...reads], lastDay };
}

async function readsSince(
  store: Store,
  table: string,
  { version }: Snapshot,
  { ingester, since }: { readonly ingester: string; readonly since: number },
): Promise<string[]> {
  const reads: string[] = [];
  for (let each = since + 1; each <= version; each++) {
    const name = entryName(table, each);
    // Before the first publication a vacuum may have taken what is before a checkpoint.
    const bytes = await store.get(name);
    const by = bytes && readEntry(name, bytes).find(({ commitInfo }) => commitInfo)?.commitInfo;
    if (by?.auditlake?.ingester === ingester && typeof by.auditlake.newest_read === "string")
      reads.push(by.auditlake.newest_read);
  }
  return reads;
}
