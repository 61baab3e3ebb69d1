import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readFilePages } from "../files/pages.ts";
import { type Manifest, readManifest } from "../landing/manifests.ts";
import { areWhole, type LandedPage, pageOf } from "../landing/store.ts";
import { readsBeginningWith } from "../store/ledger/same-read.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";

/** Where earlier reads are looked for, and where in an envelope the records of a file are. */
type Before = {
  readonly landing: string;
  readonly connection: DuckDBConnection;
  readonly recordsAt: string | null;
};

/**
 * The pages of an earlier read that a file gives once more, where they lie on the disk as they were written. They need
 * not be packed again. Undefined otherwise, and always for a pipe, which can be read but once.
 */
export async function pagesLandedBefore(
  file: string,
  read: ReadFacts,
  { landing, connection, recordsAt }: Before,
  onRead: (bytes: number) => void,
): Promise<readonly LandedPage[] | undefined> {
  if (!statSync(file).isFile()) return undefined;
  let alike: readonly Manifest[] = [];
  let count = 0;
  for await (const { bytes, format } of readFilePages(file, onRead, recordsAt)) {
    const page = pageOf(bytes, format);
    if (count === 0) {
      const ids = await readsBeginningWith(connection, read, page.sha256);
      alike = ids.flatMap((id) => readManifest(landing, id) ?? []);
    }
    alike = alike.filter(({ pages }) => isSame(pages[count], page));
    if (alike.length === 0) return undefined;
    count += 1;
  }
  const pages = alike.find((earlier) => earlier.pages.length === count)?.pages;
  return pages !== undefined && (await areWhole(landing, pages)) ? pages : undefined;
}

function isSame(one: LandedPage | undefined, { sha256, format }: LandedPage): boolean {
  return one?.sha256 === sha256 && one.format === format && one.part === undefined;
}
