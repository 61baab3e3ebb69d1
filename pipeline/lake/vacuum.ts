import { randomUUID } from "node:crypto";
import { AuditlakeError } from "../errors.ts";
import { type Action, readEntry, versionOf } from "./log.ts";
import type { Listed, Store } from "./store.ts";
import { lakeTables } from "./tables.ts";

/** A file of the lake that nobody needs any more, and why. */
export type Unneeded = {
  readonly name: string;
  readonly bytes: number;
  readonly why: "replaced" | "never named";
};

/**
 * The Parquet files that no reader of the last `keepMs` needs: replaced before that, or put there before that by a run that
 * was broken off. Times are those of the store. Throws AuditlakeError.
 */
export async function unneededFiles(store: Store, keepMs: number): Promise<Unneeded[]> {
  const cutMs = (await storeNowMs(store)) - keepMs;
  const all: Unneeded[] = [];
  for (const { name: table } of lakeTables)
    all.push(
      ...unneededOf(table, await store.list(`${table}/`), await entriesOf(store, table), cutMs),
    );
  return all;
}

type Entry = { readonly atMs: number; readonly actions: readonly Action[] };

async function entriesOf(store: Store, table: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const names = (await store.list(`${table}/_delta_log/`)).filter(
    ({ name }) => versionOf(name) !== undefined,
  );
  for (const { name, changedMs } of names) {
    const bytes = await store.get(name);
    if (bytes === undefined)
      throw new AuditlakeError(`the lake ${store.place} lost ${name} just now`);
    entries.push({ atMs: changedMs, actions: readEntry(name, bytes) });
  }
  return entries;
}

function unneededOf(
  table: string,
  files: readonly Listed[],
  entries: readonly Entry[],
  cutMs: number,
): Unneeded[] {
  // When a file was taken out last; undefined while it is in.
  const left = new Map<string, number | undefined>();
  for (const { atMs, actions } of entries)
    for (const { add, remove } of actions) {
      if (remove) left.set(`${table}/${decodeURIComponent(remove.path)}`, atMs);
      if (add) left.set(`${table}/${decodeURIComponent(add.path)}`, undefined);
    }
  return files.flatMap(({ name, bytes, changedMs }): Unneeded[] => {
    if (!name.endsWith(".parquet") || name.includes("/_delta_log/")) return [];
    if (!left.has(name)) return changedMs < cutMs ? [{ name, bytes, why: "never named" }] : [];
    const leftMs = left.get(name);
    return leftMs !== undefined && leftMs < cutMs ? [{ name, bytes, why: "replaced" }] : [];
  });
}

// The clock of this machine may be another one than that by which files are dated.
async function storeNowMs(store: Store): Promise<number> {
  const name = `_probe/${randomUUID()}`;
  await store.put(name, Buffer.from("now"));
  const found = (await store.list("_probe/")).find((file) => file.name === name);
  await store.remove(name);
  if (found !== undefined && Number.isFinite(found.changedMs)) return found.changedMs;
  throw new AuditlakeError(
    `the lake ${store.place} does not say when a file was put there; nothing was removed`,
  );
}
