import { commandText } from "../../base/command-line.ts";
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quotedText } from "../../../schemas/quoted.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { makeFolders } from "../../base/home/folders.ts";
import type { AddFile } from "./log.ts";
import type { Store } from "./store.ts";

/**
 * Brings files of a table into a folder; their paths as SQL has them. Throws AuditlakeError where the lake lacks one. Of a
 * day that is held for a database that was put back, the error says how to do without.
 */
export async function fetchedFiles(
  store: Store,
  table: string,
  files: readonly AddFile[],
  folder: string,
  isHeld = false,
): Promise<string[]> {
  makeFolders(folder);
  const paths: string[] = [];
  for (const { path } of files) {
    // A name is used once: the database keeps what it has read by that (github.com/duckdb/duckdb/pull/16463).
    const local = join(folder, `${randomUUID()}.parquet`);
    await writeFile(local, await fileOf(store, `${table}/${decodeURIComponent(path)}`, isHeld), {
      mode: 0o600,
    });
    paths.push(quotedText(local));
  }
  return paths;
}

async function fileOf(store: Store, name: string, isHeld: boolean): Promise<Buffer> {
  const bytes = await store.get(name);
  if (bytes !== undefined) return bytes;
  throw new AuditlakeError(
    `the lake ${store.place} lacks ${name}, which its log names; put it back from a copy, ${isHeld ? `or run ${commandText("lake", "publish", "--full")}, which writes its day with what the database has: that was put back from an older copy, and may lack some of it` : "since the database no longer has these events"}`,
  );
}
