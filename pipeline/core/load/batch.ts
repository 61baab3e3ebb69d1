import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../base/home/layout.ts";
import { type PageShape, stagePage } from "../records/stage-page.ts";
import type { LandedPage } from "../landing/store.ts";
import type { Inserted } from "../store/loading/finish.ts";
import {
  insertBatch,
  type PageTallies,
  stagedFiles,
  stagedFolders,
} from "../store/loading/insert.ts";
import type { LoadFields, ReadFacts, StagedPage } from "../store/loading/read-facts.ts";
import type { Database } from "../store/open.ts";
import { beginRejects } from "../store/loading/rejects.ts";
import { makeFolders } from "../../base/home/folders.ts";

// Pages are staged in batches, and while the database inserts one batch the next is staged.

export type LoadContext = {
  readonly home: Home;
  readonly database: Database;
  readonly fields: LoadFields;
  /** Records of more bytes are quarantined. */
  readonly maxRecordBytes: number;
};

/** Where the records of a read are on their pages, and where in a record what names it. */
export type RecordShape = Pick<PageShape, "recordsAt" | "idAt">;

/** A page with its bytes, on its way into the database. */
export type PageBytes = { readonly page: LandedPage; readonly bytes: Buffer };

const maxBatchBytes = 512 * 1024 * 1024;
const maxBatchPages = 500;

/** Stages the pages of a read below the folder `staging` and inserts them. */
export async function insertPages(
  context: LoadContext,
  read: ReadFacts,
  pages: AsyncIterable<PageBytes>,
  shape: RecordShape,
  staging: string,
): Promise<Inserted> {
  const staged: StagedPage[] = [];
  const tallies: PageTallies = { accepted: new Map(), rejected: new Map() };
  const queue = newQueue();
  let inserting = queue.add(() => beginRejects(context.database.connection));
  let batch = newBatch(staging, 0);
  const flush = async (): Promise<void> => {
    await inserting;
    const full = batch;
    inserting = queue.add(() => insertAndRemove(context, read, full, tallies));
    batch = newBatch(staging, full.number + 1);
  };
  try {
    for await (const one of pages) {
      staged.push(stageInto(batch, staged.length, one, shape, context));
      if (batch.bytes >= maxBatchBytes || batch.pages.length >= maxBatchPages) await flush();
    }
    if (batch.pages.length > 0) await flush();
    await inserting;
    return { staged, ...tallies };
  } finally {
    await queue.end();
  }
}

type Batch = {
  readonly number: number;
  readonly folder: string;
  readonly pages: StagedPage[];
  bytes: number;
};

function newBatch(staging: string, number: number): Batch {
  const folder = join(staging, String(number));
  for (const kind of stagedFolders(folder)) makeFolders(kind);
  return { number, folder, pages: [], bytes: 0 };
}

function stageInto(
  batch: Batch,
  number: number,
  { page, bytes }: PageBytes,
  { recordsAt, idAt }: RecordShape,
  { fields, maxRecordBytes }: LoadContext,
): StagedPage {
  const rules = { identity: fields.identity, maxRecordBytes };
  const shape = { format: page.format, recordsAt, idAt };
  const staged = stagePage(bytes, shape, rules, stagedFiles(batch.folder, number));
  const entry = { page: number, sha256: page.sha256, bytes: page.bytes, ...staged };
  batch.pages.push(entry);
  batch.bytes += bytes.length;
  return entry;
}

async function insertAndRemove(
  { database, fields }: LoadContext,
  read: ReadFacts,
  batch: Batch,
  tallies: PageTallies,
): Promise<void> {
  await insertBatch(database.connection, read, batch, fields, tallies);
  rmSync(batch.folder, { recursive: true, force: true });
}

type Queue = {
  /** Does the work after all that was added before. */
  readonly add: <T>(work: () => Promise<T>) => Promise<T>;
  /** Resolves when all is done or has failed. */
  readonly end: () => Promise<void>;
};

// A connection does one statement at a time.
function newQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  const add = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    // A failure is reported where the promise is awaited; until then it must not count as unhandled.
    last = done.catch(() => undefined);
    return done;
  };
  const end = async (): Promise<void> => {
    await last;
  };
  return { add, end };
}
