import type { DuckDBConnection } from "@duckdb/node-api";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../../base/home/layout.ts";
import { type Manifest, recordBytesOf } from "../landing/manifests.ts";
import { noteDue } from "../store/derived.ts";
import { loadFault } from "../store/fault.ts";
import {
  advanceCheckpoint,
  recordRead,
  recordRun,
  type ReadNote,
  type RunRow,
} from "../store/ledger/record.ts";
import { finishRead, type Inserted } from "../store/loading/finish.ts";
import type { ReadFacts, ReadResult, Shown } from "../store/loading/read-facts.ts";
import { inTransaction } from "../../base/sql/transaction.ts";
import { resultAgain, type SameRead } from "../store/ledger/same-read.ts";
import { addRead } from "../store/ledger/totals.ts";
import type { Writer } from "../writer/open.ts";
import type { Ahead } from "./ahead.ts";
import { insertPages, type LoadContext } from "./batch.ts";
import { factsOf, shapeOf } from "./manifest-facts.ts";
import { newHeldPages } from "./held-pages.ts";
import { repeatedBy } from "./repeated.ts";
import { stateAfter, verdictOn, type Verdict } from "./verdict.ts";

// From landed pages to committed rows: rows, window, pages, run and checkpoint commit together or not at all.

/** What a read held, and what it is worth together with those before it. */
export type Loaded = Verdict & Pick<ReadNote, "state" | "reason"> & { readonly result: ReadResult };

/** How a landed read is loaded, and what its run's row says beside what it held. */
type How = {
  readonly counts: { readonly requests: number; readonly retries: number };
  readonly finishedAt: () => string;
  readonly ahead?: Ahead | undefined;
  /** A later read of the same run and transaction writes the run's row and moves the checkpoint. */
  readonly isFollowed?: boolean;
};

/** Loads one landed read; returns what came of it, and the run with it added. */
export async function loadManifest(
  manifest: Manifest,
  run: RunRow,
  home: Home,
  writer: Writer,
  { counts, finishedAt, ahead, isFollowed }: How,
): Promise<{ run: RunRow; loaded: Loaded }> {
  let after = run;
  const context = { home, ...writer, maxRecordBytes: recordBytesOf(manifest) };
  const read = factsOf(manifest);
  const runAfter = ({ result }: Loaded): RunRow | undefined => {
    const { requests, retries } = counts;
    after = { ...addRead(run, read, result), requests, retries, finishedAt: finishedAt() };
    return isFollowed === true ? undefined : after;
  };
  try {
    const loaded = await loadLanded(manifest, context, read, ahead, runAfter);
    return { run: after, loaded };
  } catch (error) {
    throw loadFault(error);
  }
}

async function loadLanded(
  manifest: Manifest,
  context: LoadContext,
  read: ReadFacts,
  ahead: Ahead | undefined,
  runAfter: (loaded: Loaded) => RunRow | undefined,
): Promise<Loaded> {
  const { home, database } = context;
  const earlier = await repeatedBy(database.connection, home.landing, read, manifest);
  if (earlier !== undefined) {
    ahead?.drop(read.readId);
    return loadRepeat(context, read, manifest, earlier, runAfter);
  }
  const insert = await insertOf(manifest, context, read, ahead);
  return loadRead(context, read, manifest, insert, runAfter);
}

async function insertOf(
  manifest: Manifest,
  context: LoadContext,
  read: ReadFacts,
  ahead: Ahead | undefined,
): Promise<(staging: string) => Promise<Inserted>> {
  const rows = await ahead?.rowsOf(manifest);
  if (rows !== undefined) return () => rows(read);
  const { pagesOf } = ahead ?? newHeldPages();
  const pages = pagesOf(context.home.landing, manifest);
  return (staging) => insertPages(context, read, pages, shapeOf(manifest), staging);
}

/**
 * Loads one read in one transaction, in which `insert` puts its rows into the database. `runAfter` turns the result into
 * the run's row; where it gives none, a later read of the same transaction writes it, and moves the checkpoint.
 */
export async function loadRead(
  context: LoadContext,
  read: ReadFacts,
  manifest: Manifest,
  insert: (staging: string) => Promise<Inserted>,
  runAfter: (loaded: Loaded) => RunRow | undefined,
): Promise<Loaded> {
  const { connection } = context.database;
  const staging = join(context.home.staging, read.readId);
  rmSync(staging, { recursive: true, force: true });
  try {
    return await inTransaction(connection, async () => {
      const inserted = await insert(staging);
      const judge = (shown: Shown): Promise<Verdict> =>
        verdictOn(connection, read, manifest, shown);
      const finished = await finishRead(connection, read, inserted, judge);
      await noteDue(connection, read.readId, finished.brought);
      return conclude(connection, read, manifest, finished, runAfter);
    });
  } catch (error) {
    throw loadFault(error);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The same for a read that shows what an earlier one did, page by page: nothing has to be loaded. */
function loadRepeat(
  { database: { connection } }: LoadContext,
  read: ReadFacts,
  manifest: Manifest,
  earlier: SameRead,
  runAfter: (loaded: Loaded) => RunRow | undefined,
): Promise<Loaded> {
  return inTransaction(connection, async () => {
    const result = await resultAgain(connection, earlier);
    const shown = { ...result, isForgotten: false, isLacking: false, isSentAgain: false };
    const verdict = await verdictOn(connection, read, manifest, shown);
    return conclude(connection, read, manifest, { result, verdict }, runAfter);
  });
}

// What the ledger keeps of a read, in its transaction.
async function conclude(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  { result, verdict }: { readonly result: ReadResult; readonly verdict: Verdict },
  runAfter: (loaded: Loaded) => RunRow | undefined,
): Promise<Loaded> {
  const note = await stateAfter(connection, read, manifest, verdict, result);
  await recordRead(connection, read, manifest.server_time, note, result);
  const { state, reason } = note;
  const loaded = { result, ...verdict, state, reason };
  const run = runAfter(loaded);
  if (run === undefined) return loaded;
  if (manifest.nightly && read.windowStart !== null)
    await advanceCheckpoint(connection, read, manifest.range_start ?? read.windowStart);
  await recordRun(connection, run);
  return loaded;
}
