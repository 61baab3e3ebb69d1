import type { DuckDBConnection } from "@duckdb/node-api";
import { isClosed, type Manifest, readManifest, recordBytesOf } from "../landing/manifests.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import { arrivedSince } from "../store/ledger/previous.ts";
import { type SameRead, sameReadsOf } from "../store/ledger/same-read.ts";

/**
 * The earlier read that a landed one repeats page by page, so that nothing of it has to be loaded; undefined where
 * there is none. Events that it lacked, or that other reads have brought since, have to be looked for: then it is loaded.
 */
export async function repeatedBy(
  connection: DuckDBConnection,
  landing: string,
  read: ReadFacts,
  manifest: Manifest,
): Promise<SameRead | undefined> {
  const [first] = manifest.pages;
  if (first === undefined) return undefined;
  const reads = await sameReadsOf(connection, read, first.sha256, manifest.pages.length);
  const earlier = reads.find(({ readId }) => {
    const before = readManifest(landing, readId);
    return before !== undefined && contentOf(before) === contentOf(manifest);
  });
  if (earlier === undefined) return undefined;
  if (read.windowStart === null) return earlier;
  const isAsBefore = earlier.missing === 0 || !isClosed(manifest);
  const isAlone = isAsBefore && (await arrivedSince(connection, read, earlier)) === 0;
  return isAlone ? earlier : undefined;
}

// What decides which records the pages give.
function contentOf(manifest: Manifest): string {
  const { records_at: recordsAt, id_at: idAt = null, pages } = manifest;
  const shown = pages.map(({ sha256, format, part = 0 }) => [sha256, format, part]);
  return JSON.stringify([recordsAt, idAt, recordBytesOf(manifest), shown]);
}
