import { logFolder, readEntry, versionOf } from "./log.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Listed, Store } from "./store.ts";

/** The files of rows that no entry in the log of a table names, neither as there nor as replaced. */
export async function unnamedFiles(
  store: Store,
  table: string,
  { files, removed }: Pick<Snapshot, "files" | "removed">,
): Promise<Listed[]> {
  const listed = await store.list(`${table}/`);
  const nameOf = (path: string): string => `${table}/${decodeURIComponent(path)}`;
  const named = new Set([...files.keys(), ...removed.keys()].map(nameOf));
  const isUnnamed = ({ name }: Listed): boolean =>
    name.endsWith(".parquet") && !name.startsWith(logFolder(table)) && !named.has(name);
  const unnamed = listed.filter(isUnnamed);
  if (unnamed.length === 0) return [];
  // A checkpoint says nothing of what was replaced long before it; the entries of then do, as long as its files lie there.
  for (const { name } of listed.filter((file) => versionOf(file.name) !== undefined)) {
    const bytes = await store.get(name);
    if (bytes === undefined) continue;
    for (const { add } of readEntry(name, bytes)) if (add) named.add(nameOf(add.path));
  }
  return unnamed.filter(isUnnamed);
}
