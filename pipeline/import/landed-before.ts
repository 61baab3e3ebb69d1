import type { DuckDBConnection } from "@duckdb/node-api";
import type { PageBody } from "../records/format.ts";
import { type Manifest, readManifest } from "../landing/manifests.ts";
import { areWhole, type LandedPage, pageOf } from "../landing/store.ts";
import { readsBeginningWith } from "../store/ledger/same-read.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";

/** What landing says of the earlier reads of a source that began with the same page. */
export async function readsThatBegin(
  { bytes, format }: PageBody,
  read: ReadFacts,
  landing: string,
  connection: DuckDBConnection,
): Promise<Manifest[]> {
  const ids = await readsBeginningWith(connection, read, pageOf(bytes, format).sha256);
  return ids.flatMap((id) => readManifest(landing, id) ?? []);
}

/**
 * The pages of an earlier read that a file gives once more, to its end, where they lie on the disk as they were written.
 * They need not be packed again. Undefined otherwise; the pages are read no further than to where none is alike.
 */
export async function pagesLandedBefore(
  pages: AsyncIterable<PageBody>,
  earlier: readonly Manifest[],
  landing: string,
): Promise<readonly LandedPage[] | undefined> {
  let alike = earlier;
  let count = 0;
  for await (const { bytes, format } of pages) {
    const page = pageOf(bytes, format);
    alike = alike.filter((one) => isSame(one.pages[count], page));
    if (alike.length === 0) return undefined;
    count += 1;
  }
  const found = alike.find((one) => one.pages.length === count)?.pages;
  return found !== undefined && (await areWhole(landing, found)) ? found : undefined;
}

function isSame(one: LandedPage | undefined, { sha256, bytes, format }: LandedPage): boolean {
  return (
    one?.sha256 === sha256 && one.bytes === bytes && one.format === format && one.part === undefined
  );
}
