import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../../base/home/durable.ts";
import type { LandedPage } from "../landing/store.ts";
import { createLineWriter } from "../records/line-writer.ts";
import type { IdentityFields } from "../records/identity.ts";
import { type Lines, type PageShape, stagePage } from "../records/stage-page.ts";
import { type Batch, listStagedFiles, listStagedFolders } from "../store/loading/insert.ts";
import type { StagedPage } from "../store/loading/read-facts.ts";

// Pages become lines in files, which the database reads a batch at a time.

export type PageBytes = { readonly page: LandedPage; readonly bytes: Buffer };

/** Where the records of a read are, where in a record what names it; longer records are quarantined. */
export type ReadShape = {
  readonly shape: Pick<PageShape, "recordsAt" | "idAt">;
  readonly maxRecordBytes: number;
};

export type ReadPages = ReadShape & { readonly pages: AsyncIterable<PageBytes> };

/** A batch that takes further pages. */
export type GrowingBatch = Batch & {
  readonly number: number;
  readonly pages: StagedPage[];
  bytes: number;
};

const maxBytes = 512 * 1024 * 1024;
const maxPages = 500;

/** Begins a batch in an empty folder of its own. */
export function newBatch(staging: string, number: number): GrowingBatch {
  const folder = join(staging, String(number));
  rmSync(folder, { recursive: true, force: true });
  for (const kind of listStagedFolders(folder)) makeFolders(kind);
  return { number, folder, pages: [], bytes: 0 };
}

/** Whether a batch is to be inserted before it takes more. */
export function isFull({ bytes, pages }: GrowingBatch): boolean {
  return bytes >= maxBytes || pages.length >= maxPages;
}

/** Opens the files of a batch that begin with a page: the database opens each, so several pages share them. */
export function openLines({ folder }: Batch, firstPage: number): Lines & Disposable {
  const files = listStagedFiles(folder, firstPage);
  using opened = new DisposableStack();
  const named = opened.use(createLineWriter(files.named));
  const nameless = opened.use(createLineWriter(files.nameless));
  const open = opened.move();
  return { named, nameless, [Symbol.dispose]: () => open.dispose() };
}

/** Stages a page into a batch, with the number that it has in its read. */
export function stageInto(
  { batch, lines }: { readonly batch: GrowingBatch; readonly lines: Lines },
  number: number,
  { page: { format, sha256 }, bytes }: PageBytes,
  { shape, maxRecordBytes }: ReadShape,
  identity: IdentityFields,
): StagedPage {
  const rules = { identity, maxRecordBytes };
  const staged = stagePage(bytes, { format, ...shape }, rules, lines, number);
  const entry = { page: number, sha256, bytes: bytes.length, ...staged };
  batch.pages.push(entry);
  batch.bytes += bytes.length;
  return entry;
}

/** Takes the pages from a first one on out of a batch, with the files that begin with it; those must be closed. */
export function dropFrom(batch: GrowingBatch, first: number): void {
  for (const { bytes } of batch.pages.splice(first)) batch.bytes -= bytes;
  for (const file of Object.values(listStagedFiles(batch.folder, first)))
    rmSync(file, { force: true });
}
