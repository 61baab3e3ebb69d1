import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readFilePages } from "../files/pages.ts";
import type { Journal } from "../landing/journal.ts";
import { newPack } from "../landing/pack.ts";
import type { LandedPage } from "../landing/store.ts";
import type { PageBody } from "../records/format.ts";
import type { ReadFacts } from "../store/loading/read-facts.ts";
import { findStoredPages, findStoredRuns } from "./landed-before.ts";

/** The read that files are part of, and where their pages go. */
export type Landing = {
  readonly landing: string;
  readonly journal: Journal;
  readonly read: ReadFacts;
  readonly connection: DuckDBConnection;
  readonly recordsAt: string | null;
};

/** A file whose pages are on the disk. */
export type LandedFile = { readonly file: string; readonly pages: readonly LandedPage[] };

/**
 * Stores the pages of a file; those that an earlier import stored are not written again. Throws PageError on a file that
 * is cut off or no file of records, and then stores nothing of it. `onRead` gets the bytes read from disk so far.
 */
export async function landFile(
  file: string,
  to: Landing,
  onRead: (bytes: number) => void,
): Promise<LandedFile> {
  const pagesOf = (): AsyncGenerator<PageBody> => readFilePages(file, onRead, to.recordsAt);
  const { first, all } = await peek(pagesOf());
  const runs = first ? await findStoredRuns(first, to.read, to.landing, to.connection) : [];
  // A pipe gives its pages only once.
  if (runs.length === 0 || !statSync(file).isFile()) return { file, pages: await store(all, to) };
  const before = await findStoredPages(all, runs, to.landing);
  return { file, pages: before ?? (await store(pagesOf(), to)) };
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
  if (first !== undefined) yield first;
  yield* rest;
}
