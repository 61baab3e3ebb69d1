import type { DuckDBConnection } from "@duckdb/node-api";
import type { PageBody } from "../records/format.ts";
import { readManifest } from "../landing/manifests.ts";
import { areWhole, type LandedPage, pageOf } from "../landing/store.ts";
import { readsWithPage } from "../store/ledger/same-read.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";

/** Runs of stored raw pages, each of one earlier read from some page to its last. */
export type StoredRuns = readonly (readonly LandedPage[])[];

/** Finds where earlier reads of a source have the same page, each with the pages after it. */
export async function findStoredRuns(
  { bytes, format }: PageBody,
  read: ReadFacts,
  landing: string,
  connection: DuckDBConnection,
): Promise<StoredRuns> {
  const { sha256 } = pageOf(bytes, format);
  const ids = await readsWithPage(connection, read, sha256);
  const manifests = ids.flatMap((id) => readManifest(landing, id) ?? []);
  return manifests.flatMap(({ pages }) =>
    pages.flatMap((page, i) => (page.sha256 === sha256 ? [pages.slice(i)] : [])),
  );
}

/**
 * Returns the stored raw pages that a file gives again, to its end, where they are on the disk as they were written: they
 * need not be packed again. Undefined otherwise; reads the file no further than to its first new page.
 */
export async function findStoredPages(
  pages: AsyncIterable<PageBody>,
  runs: StoredRuns,
  landing: string,
): Promise<readonly LandedPage[] | undefined> {
  let alike = runs;
  let count = 0;
  for await (const { bytes, format } of pages) {
    const page = pageOf(bytes, format);
    alike = alike.filter((run) => isSame(run[count], page));
    if (alike.length === 0) return undefined;
    count += 1;
  }
  for (const run of alike) {
    const found = run.slice(0, count).map(({ part: _part, ...page }) => page);
    if (await areWhole(landing, found)) return found;
  }
  return undefined;
}

function isSame(one: LandedPage | undefined, { sha256, bytes, format }: LandedPage): boolean {
  return one?.sha256 === sha256 && one.bytes === bytes && one.format === format;
}
