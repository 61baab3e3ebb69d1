import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type FileForm, readFilePages } from "./pages.ts";
import { type FileWatch, watchBytes } from "./bytes.ts";
import type { Journal } from "../landing/journal.ts";
import { newPack } from "../landing/pack.ts";
import { type ImportedFile, readManifest } from "../landing/manifests.ts";
import { areWhole, type LandedPage, describePage } from "../landing/store.ts";
import { forEachLine, readJson, recordTexts } from "../records/each.ts";
import type { PageBody } from "../records/format.ts";
import { findIdPath } from "../records/identity.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import type { StagedAhead } from "../load/ahead.ts";
import { listReadsWithPage } from "../store/ledger/previous.ts";
import { findNamedPath } from "./cut-records.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { PageError } from "../records/error.ts";
import { listKeys } from "../records/envelope.ts";

/** The read of the files, the folder of their pages, and their known form. */
export type Landing = {
  readonly landing: string;
  readonly journal: Journal;
  readonly ahead: StagedAhead;
  readonly read: ReadFacts;
  readonly connection: DuckDBConnection;
  readonly form: FileForm;
  /** What names a record, where it is not `id`. */
  readonly idAt: string | null;
};

/** A file whose pages are on the disk, with its name on the command line. */
export type LandedFile = { readonly file: string } & ImportedFile & {
    readonly pages: readonly LandedPage[];
    /** What seems to name its records, where they have no `id`. */
    readonly idAt: string | undefined;
  };

/**
 * Stores the pages of a file, except pages that an earlier import stored. Throws PageError on a truncated file or a
 * file without events, and then stores none of it. `onRead` gets the bytes read from disk so far.
 */
export async function landFile(
  file: string,
  to: Landing,
  onRead: (bytes: number) => void,
): Promise<LandedFile> {
  const open = (): Reading => {
    const watch = watchBytes(onRead);
    return { watch, pages: requireNames(readFilePages(file, watch, to.form)) };
  };
  const reading = open();
  const { first, all } = await peekPage(reading.pages);
  const idAt = first && to.idAt === null ? findIdPath(recordTexts(first)) : undefined;
  const runs = first ? await findStoredRuns(first, to.read, to.landing, to.connection) : [];
  // A pipe gives its pages only once.
  if (runs.length === 0 || !statSync(file).isFile())
    return describeLanded(file, await storePages(all, to), reading, idAt);
  to.ahead.end();
  const before = await findStoredPages(all, runs, to.landing);
  if (before !== undefined) return describeLanded(file, before, reading, idAt);
  const again = open();
  return describeLanded(file, await storePages(again.pages, to), again, idAt);
}

type Reading = { readonly watch: FileWatch; readonly pages: AsyncGenerator<PageBody> };

function describeLanded(
  file: string,
  pages: readonly LandedPage[],
  { watch: { hash, bytesRead } }: Reading,
  idAt: string | undefined,
): LandedFile {
  return { file, pages, sha256: hash.digest("hex"), bytes: bytesRead(), idAt };
}

async function storePages(
  pages: AsyncIterable<PageBody>,
  { landing, journal, ahead }: Landing,
): Promise<readonly LandedPage[]> {
  return ahead.stageFile(async (stage) => {
    await using pack = newPack(landing, journal);
    for await (const { bytes, format } of pages)
      stage({ page: await pack.add(bytes, format), bytes });
    return await pack.end();
  });
}

async function peekPage(
  pages: AsyncGenerator<PageBody>,
): Promise<{ first: PageBody | undefined; all: AsyncGenerator<PageBody> }> {
  const { value, done } = await pages.next();
  const first = done === true ? undefined : (value as PageBody);
  return { first, all: prependPage(first, pages) };
}

async function* prependPage(
  first: PageBody | undefined,
  rest: AsyncGenerator<PageBody>,
): AsyncGenerator<PageBody> {
  try {
    if (first !== undefined) yield first;
    yield* rest;
  } finally {
    // If only the first page is taken, the rest was never started here.
    await rest.return(undefined);
  }
}

/** Runs of stored raw pages, each of one earlier read from some page to its last. */
type StoredRuns = readonly (readonly LandedPage[])[];

/** Finds where earlier reads of a source have the same page, each with the pages after it. */
async function findStoredRuns(
  { bytes, format }: PageBody,
  read: ReadFacts,
  landing: string,
  connection: DuckDBConnection,
): Promise<StoredRuns> {
  const { sha256 } = describePage(bytes, format);
  const ids = await listReadsWithPage(connection, read, sha256);
  const manifests = ids.flatMap((id) => readManifest(landing, id) ?? []);
  return manifests.flatMap(({ pages }) =>
    pages.flatMap((page, i) => (page.sha256 === sha256 ? [pages.slice(i)] : [])),
  );
}

/**
 * Returns the stored raw pages that a file gives again, to its end, where they are on the disk as they were written: they
 * need not be packed again. Undefined otherwise; reads the file no further than to its first new page.
 */
async function findStoredPages(
  pages: AsyncIterable<PageBody>,
  runs: StoredRuns,
  landing: string,
): Promise<readonly LandedPage[] | undefined> {
  let alike = runs;
  let count = 0;
  for await (const { bytes, format } of pages) {
    const page = describePage(bytes, format);
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

/**
 * Passes on the pages of a file. Throws PageError at their end where there are records and none has an `event_name`: the
 * file is some other log, or its events are wrapped in something.
 */
async function* requireNames(pages: AsyncGenerator<PageBody>): AsyncGenerator<PageBody> {
  let first: PageBody | undefined;
  let records = 0;
  let isNamed = false;
  for await (const page of pages) {
    first ??= page;
    if (!isNamed) {
      const found = lookForName(page);
      records += found.records;
      isNamed = found.isNamed;
    }
    yield page;
  }
  if (first !== undefined && records > 0 && !isNamed) throw newNamelessError(first, records);
}

// Records are looked at up to the first one with a name.
function lookForName({ bytes, format }: PageBody): { records: number; isNamed: boolean } {
  let records = 0;
  let isNamed = false;
  const lookAtRecord = (start: number, end: number): void => {
    records += 1;
    isNamed ||= hasName(bytes.subarray(0, end), start);
  };
  // A page of a file has its records in a bare array, or line by line.
  if (format === "json") readJson(bytes, null, lookAtRecord);
  else forEachLine(bytes, lookAtRecord);
  return { records, isNamed };
}

function hasName(bytes: Buffer, record: number): boolean {
  for (const key of listKeys(bytes, record)) if (key === "event_name") return true;
  return false;
}

function newNamelessError({ bytes }: PageBody, records: number): PageError {
  const path = findNamedPath(bytes.toString("utf8"));
  const advice =
    path === undefined
      ? "it is not an audit log, or its columns have other names"
      : `events seem to be at ${path.join(".")}: import it with --records-at ${path.join(".")}`;
  return new PageError(
    `${records === 1 ? "its record has no" : `none of its ${formatCount(records, "record")} has an`} event_name; no record of the file was loaded; ${advice}`,
  );
}
