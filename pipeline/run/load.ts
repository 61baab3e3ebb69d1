import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home.ts";
import type { LandedPage, Manifest } from "../landing/store.ts";
import { stagePage, type Staged, type StageMode, type StageRules } from "../landing/stage.ts";
import { loadFault } from "../warehouse/fault.ts";
import {
  advanceCheckpoint,
  recordRead,
  recordRun,
  stateAfter,
  type RunRow,
  type WindowState,
} from "../warehouse/ledger.ts";
import {
  insertBatch,
  type LoadFields,
  settleRead,
  type ReadFacts,
  type ReadResult,
  type Rejected,
  type StagedPage,
} from "../warehouse/load.ts";
import type { Database } from "../warehouse/open.ts";

// From landed pages to committed rows: pages are staged in batches, and while the database inserts one batch
// the next is staged. Rows, window, pages, run and checkpoint commit together or not at all.

export type LoadContext = {
  readonly home: Home;
  readonly database: Database;
  readonly rules: StageRules;
  readonly fields: LoadFields;
};

/** A page with its bytes, on its way into the database. */
export type PageBytes = { readonly page: LandedPage; readonly bytes: Buffer };

/** What the load adds to the run's totals. */
export type Loaded = { readonly result: ReadResult; readonly state: WindowState };

const maxBatchBytes = 512 * 1024 * 1024;
const maxBatchPages = 500;

/**
 * Loads one read in one transaction. `describe` is called when all pages are in: it makes the read durable
 * and returns its manifest. `runAfter` turns the result into the run's row.
 */
export async function loadRead(
  context: LoadContext,
  read: ReadFacts,
  pages: AsyncIterable<PageBytes>,
  recordsAt: string | null,
  describe: (pages: readonly LandedPage[]) => Promise<Manifest>,
  runAfter: (loaded: Loaded, manifest: Manifest) => RunRow,
): Promise<Loaded> {
  const { connection } = context.database;
  const staging = join(context.home.staging, read.readId);
  rmSync(staging, { recursive: true, force: true });
  await connection.run("begin");
  try {
    const { staged, landed, rejected } = await insertPages(
      context,
      read,
      pages,
      recordsAt,
      staging,
    );
    const manifest = await describe(landed);
    const result = await settleRead(connection, read, staged, rejected);
    const state = await stateAfter(connection, read, manifest.closed, result.digest);
    await recordRead(connection, read, manifest.server_time, state, result);
    if (manifest.nightly && read.windowStart !== null)
      await advanceCheckpoint(connection, read, manifest.range_start ?? read.windowStart);
    await recordRun(connection, runAfter({ result, state }, manifest));
    await connection.run("commit");
    return { result, state };
  } catch (error) {
    await connection.run("rollback").catch(() => undefined);
    throw loadFault(error);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

type Inserted = {
  readonly staged: StagedPage[];
  readonly landed: LandedPage[];
  readonly rejected: Rejected[];
};

async function insertPages(
  context: LoadContext,
  read: ReadFacts,
  pages: AsyncIterable<PageBytes>,
  recordsAt: string | null,
  staging: string,
): Promise<Inserted> {
  const all: Inserted = { staged: [], landed: [], rejected: [] };
  let inserting = Promise.resolve<Rejected[]>([]);
  let batch = newBatch(staging, 0);
  const flush = async (): Promise<void> => {
    all.rejected.push(...(await inserting));
    inserting = insertAndRemove(context, read, batch);
    // A failure is reported where the promise is awaited; until then it must not count as unhandled.
    inserting.catch(() => undefined);
    batch = newBatch(staging, batch.number + 1);
  };
  try {
    for await (const { page, bytes } of pages) {
      const number = all.staged.length;
      const file = join(batch.folder, `${number}.ndjson`);
      const stage = (mode: StageMode): Staged =>
        stagePage(bytes, page.format, recordsAt, context.rules, file, mode);
      const { fetched, rejects } = stage("quick");
      const staged = { page: number, sha256: page.sha256, bytes: page.bytes, fetched, rejects };
      batch.restage.push(() => {
        rmSync(file);
        const again = stage("careful");
        staged.rejects = again.rejects;
      });
      all.staged.push(staged);
      all.landed.push(page);
      batch.pages.push(staged);
      batch.bytes += bytes.length;
      if (batch.bytes >= maxBatchBytes || batch.pages.length >= maxBatchPages) await flush();
    }
    if (batch.pages.length > 0) await flush();
  } finally {
    await inserting.catch(() => undefined);
  }
  all.rejected.push(...(await inserting));
  return all;
}

type Batch = {
  readonly number: number;
  readonly folder: string;
  readonly pages: StagedPage[];
  readonly restage: (() => void)[];
  bytes: number;
};

function newBatch(staging: string, number: number): Batch {
  const folder = join(staging, String(number));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { number, folder, pages: [], restage: [], bytes: 0 };
}

async function insertAndRemove(
  context: LoadContext,
  read: ReadFacts,
  batch: Batch,
): Promise<Rejected[]> {
  const files = join(batch.folder, "*.ndjson");
  const restage = (): void => batch.restage.forEach((again) => again());
  const rejected = await insertBatch(
    context.database.connection,
    read,
    { files, pages: batch.pages, restage },
    context.fields,
    context.rules.maxRecordBytes,
  );
  rmSync(batch.folder, { recursive: true, force: true });
  return rejected;
}
