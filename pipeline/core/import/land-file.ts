import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type FileForm, readFilePages } from "./pages.ts";
import { type FileWatch, watchBytes } from "./plain.ts";
import type { Journal } from "../landing/journal.ts";
import { newPack } from "../landing/pack.ts";
import type { ImportedFile } from "../landing/manifests.ts";
import type { LandedPage } from "../landing/store.ts";
import { recordTexts } from "../records/each.ts";
import type { PageBody } from "../records/format.ts";
import { findIdPath } from "../records/id-path.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import { findStoredPages, findStoredRuns } from "./landed-before.ts";
import { requireNames } from "./require-names.ts";

/** The read that files are part of, where their pages go, and what is known of their form. */
export type Landing = {
  readonly landing: string;
  readonly journal: Journal;
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
 * Stores the pages of a file; those that an earlier import stored are not written again. Throws PageError on a file that
 * is cut off or no file of events, and then stores nothing of it. `onRead` gets the bytes read from disk so far.
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
  const { first, all } = await peek(reading.pages);
  const idAt = first && to.idAt === null ? findIdPath(recordTexts(first)) : undefined;
  const runs = first ? await findStoredRuns(first, to.read, to.landing, to.connection) : [];
  // A pipe gives its pages only once.
  if (runs.length === 0 || !statSync(file).isFile())
    return landed(file, await store(all, to), reading, idAt);
  const before = await findStoredPages(all, runs, to.landing);
  if (before !== undefined) return landed(file, before, reading, idAt);
  const again = open();
  return landed(file, await store(again.pages, to), again, idAt);
}

type Reading = { readonly watch: FileWatch; readonly pages: AsyncGenerator<PageBody> };

function landed(
  file: string,
  pages: readonly LandedPage[],
  { watch: { hash, bytesRead } }: Reading,
  idAt: string | undefined,
): LandedFile {
  return { file, pages, sha256: hash.digest("hex"), bytes: bytesRead(), idAt };
}

async function store(
  pages: AsyncIterable<PageBody>,
  { landing, journal }: Landing,
): Promise<readonly LandedPage[]> {
  await using pack = newPack(landing, journal);
  for await (const { bytes, format } of pages) await pack.add(bytes, format);
  return await pack.end();
}

async function peek(
  pages: AsyncGenerator<PageBody>,
): Promise<{ first: PageBody | undefined; all: AsyncGenerator<PageBody> }> {
  const { value, done } = await pages.next();
  const first = done === true ? undefined : (value as PageBody);
  return { first, all: joined(first, pages) };
}

async function* joined(
  first: PageBody | undefined,
  rest: AsyncGenerator<PageBody>,
): AsyncGenerator<PageBody> {
  try {
    if (first !== undefined) yield first;
    yield* rest;
  } finally {
    // Where only the first page is taken, the rest was never begun here.
    await rest.return(undefined);
  }
}
