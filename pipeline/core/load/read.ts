import type { DuckDBConnection } from "@duckdb/node-api";
import { runInTransaction } from "../../base/sql/transaction.ts";
import type { Home } from "../../base/home/layout.ts";
import { isClosed, type Manifest, readManifest, getMaxRecordBytes } from "../landing/manifests.ts";
import { findLog } from "../evidence/log.ts";
import { noteDue, noteWindow } from "../store/derived.ts";
import { loadFault } from "../store/fault.ts";
import {
  addRead,
  advanceCheckpoint,
  type ReadNote,
  recordRead,
  recordRun,
  type RunRow,
} from "../store/ledger/record.ts";
import {
  countArrivedSince,
  readStoredResult,
  type SameRead,
  listSameReads,
} from "../store/ledger/previous.ts";
import { finishRead } from "../store/loading/finish.ts";
import type { ReadFacts, ReadResult, ReadContent } from "../store/loading/read-facts.ts";
import type { Writer } from "../writer/open.ts";
import { toReadFacts, type Loader, newLoader } from "./loader.ts";
import { decideState, type Verdict, judgeRead } from "./verdict.ts";

// From landed pages to committed rows: rows, window, pages, run and checkpoint commit together or not at all.

/** What a read contained, and how it counts together with previous reads. */
export type LoadResult = Verdict &
  Pick<ReadNote, "state" | "reason"> & { readonly result: ReadResult };

/** How a landed read is loaded, and what the row of its run records besides its content. */
type LoadOptions = {
  readonly counts: { readonly requests: number; readonly retries: number };
  readonly finishedAt: () => string;
  /** Has the rows of small reads that wait; without one the read is loaded alone. */
  readonly loader?: Loader | undefined;
  /** A later read of the same run and transaction writes the run's row and moves the checkpoint. */
  readonly isFollowed?: boolean;
};

/**
 * Loads one landed read in a transaction, its own or that of the caller; returns the outcome, and the run with its
 * counts added. No rows are made for a read that repeats a previous one page by page.
 */
export async function loadManifest(
  manifest: Manifest,
  run: RunRow,
  home: Home,
  writer: Writer,
  { counts, finishedAt, loader = newLoader(home, writer), isFollowed }: LoadOptions,
): Promise<{ run: RunRow; loaded: LoadResult }> {
  const { connection } = writer.database;
  const read = toReadFacts(manifest);
  try {
    const earlier = await findRepeatedRead(connection, home.landing, read, manifest);
    if (earlier === undefined) await loader.prepare(manifest);
    else loader.drop(read.readId);
    return await runInTransaction(connection, async () => {
      const finished =
        earlier === undefined
          ? await insertRows(connection, read, manifest, loader)
          : await repeatRead(connection, read, manifest, earlier);
      const leafIndex = findLog(home.landing)?.findIndex(`reads/${read.readId}.json`) ?? null;
      const loaded = await concludeRead(connection, read, manifest, { ...finished, leafIndex });
      const { requests, retries } = counts;
      const added = addRead(run, read, loaded.result);
      const after = { ...added, requests, retries, finishedAt: finishedAt() };
      if (isFollowed !== true) await recordProgress(connection, read, manifest, after);
      return { run: after, loaded };
    });
  } catch (error) {
    throw loadFault(error);
  }
}

type FinishedRead = { readonly result: ReadResult; readonly verdict: Verdict };

async function insertRows(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  loader: Loader,
): Promise<FinishedRead> {
  const inserted = await loader.insert(manifest, read);
  const judgeManifest = (shown: ReadContent): Promise<Verdict> =>
    judgeRead(connection, read, manifest, shown);
  const finished = await finishRead(connection, read, inserted, judgeManifest);
  await noteDue(connection, read.readId, finished.brought);
  await noteWindow(connection, read, finished.result.missing > 0);
  return finished;
}

async function repeatRead(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  earlier: SameRead,
): Promise<FinishedRead> {
  const result = await readStoredResult(connection, earlier);
  const shown = { ...result, isForgotten: false, isIncomplete: false, isSentAgain: false };
  return { result, verdict: await judgeRead(connection, read, manifest, shown) };
}

// What the ledger keeps of a read, in its transaction.
async function concludeRead(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  { result, verdict, leafIndex }: FinishedRead & { readonly leafIndex: number | null },
): Promise<LoadResult> {
  const note = await decideState(connection, read, manifest, verdict, result);
  const stored = { serverTime: manifest.server_time, leafIndex };
  await recordRead(connection, read, stored, note, result);
  const { state, reason } = note;
  return { result, ...verdict, state, reason };
}

async function recordProgress(
  connection: DuckDBConnection,
  read: ReadFacts,
  manifest: Manifest,
  run: RunRow,
): Promise<void> {
  if (manifest.nightly && read.windowStart !== null)
    await advanceCheckpoint(connection, read, manifest.range_start ?? read.windowStart);
  await recordRun(connection, run);
}

/**
 * Finds the previous read with the same pages, so that nothing has to be loaded; undefined if none exists. If events of
 * its window were missing, or came from other reads since, the read is loaded.
 */
export async function findRepeatedRead(
  connection: DuckDBConnection,
  landing: string,
  read: ReadFacts,
  manifest: Manifest,
): Promise<SameRead | undefined> {
  const [first] = manifest.pages;
  if (first === undefined) return undefined;
  const reads = await listSameReads(connection, read, first.sha256, manifest.pages.length);
  const earlier = reads.find(({ readId }) => {
    const before = readManifest(landing, readId);
    return before !== undefined && hashContent(before) === hashContent(manifest);
  });
  if (earlier === undefined) return undefined;
  if (read.windowStart === null) return earlier;
  const isAsBefore = earlier.missing === 0 || !isClosed(manifest);
  const isAlone = isAsBefore && (await countArrivedSince(connection, read, earlier)) === 0;
  return isAlone ? earlier : undefined;
}

// What decides which records the pages give.
function hashContent(manifest: Manifest): string {
  const { records_at: recordsAt, id_at: idAt = null, pages } = manifest;
  const shown = pages.map(({ sha256, format, part = 0 }) => [sha256, format, part]);
  return JSON.stringify([recordsAt, idAt, getMaxRecordBytes(manifest), shown]);
}
