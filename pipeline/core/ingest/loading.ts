import { messageOf } from "../../base/errors.ts";
import { inItsName } from "../source/faults.ts";
import type { OnProgress } from "../../base/terminal/progress.ts";
import { hopeless, isFinal } from "./finish-run.ts";
import type { WindowsRun } from "./windows-run.ts";
import { confirmableIn } from "../store/ledger/confirming.ts";
import type { RunRow } from "../store/ledger/record.ts";
import type { ReadResult } from "../store/loading/read-facts.ts";
import { inTransaction } from "../../base/sql/transaction.ts";
import { traitsAfter } from "../load/evidence.ts";
import { loadManifest } from "../load/read.ts";
import type { Loaded } from "../load/read.ts";
import type { FetchPlan } from "./task.ts";
import type { LandedFetch, Fetched } from "./fetch-queue.ts";
import { toTimestamp } from "../../base/time/text.ts";

// The fetches of a run, from the disk into the database. Small ones that wait are committed together: each commit writes
// the last row group once more.

/** Fetches of one window in one run, at most, until two in a row agree. */
export const maxRounds = 5;

/** Loads what the fetches of a run give, wholly or not at all, until they are done. Throws what ends the run. */
export async function loadAll(windowsRun: WindowsRun, onProgress: OnProgress): Promise<void> {
  const { fetches, world } = windowsRun;
  let refusal: unknown;
  let done = 0;
  for (let fetched = await fetches.next(); fetched !== undefined; fetched = await fetches.next()) {
    const ready = await readyWith(windowsRun, fetched);
    const isLoaded = await loadTogether(windowsRun, ready);
    for (const one of isLoaded ? [] : ready) {
      const found = await loadAlone(windowsRun, one);
      refusal ??= found;
    }
    done += ready.length;
    onProgress(done, `${windowsRun.run.fetched} events`, done + fetches.left().length);
  }
  if (refusal !== undefined && !world.signal.aborted) throw refusal;
}

// Returns what no further window need be asked for after; undefined where only this one failed, or none did.
async function loadAlone(windowsRun: WindowsRun, fetched: Fetched): Promise<unknown> {
  const { fetches, failures, plan } = windowsRun;
  try {
    await loadOne(windowsRun, fetched);
    return undefined;
  } catch (error) {
    if (isFinal(error) && "manifest" in fetched) throw error;
    let refusal = isFinal(error) ? error : undefined;
    if (refusal === undefined) {
      failures.push({
        window: fetched.job.window,
        message: inItsName(messageOf(error), plan.source.name),
        isUnserved: fetched.job.isUnserved === true,
      });
      refusal = hopeless(error, windowsRun);
    }
    if (refusal !== undefined) fetches.stop();
    return refusal;
  }
}

/** A fetch, and those behind it that are on disk and whose rows were made with its own. */
async function readyWith(
  { loader, fetches }: WindowsRun,
  first: Fetched,
): Promise<readonly Fetched[]> {
  if (!("manifest" in first)) return [first];
  const made = await loader.prepare(first.manifest);
  const ready: Fetched[] = [first];
  for (let next = fetches.nextOf(made); next !== undefined; next = fetches.nextOf(made))
    ready.push(next);
  return ready;
}

/** Loads several fetches in one transaction; false, and nothing is stored, where there is one alone or one of them fails. */
async function loadTogether(windowsRun: WindowsRun, ready: readonly Fetched[]): Promise<boolean> {
  const landed = ready.filter((fetched) => "manifest" in fetched);
  if (landed.length < 2) return false;
  const done: { fetched: LandedFetch; run: RunRow; loaded: Loaded }[] = [];
  try {
    await inTransaction(windowsRun.writer.database.connection, async () => {
      for (const fetched of landed) {
        const run = done.at(-1)?.run ?? windowsRun.run;
        const isFollowed = fetched !== landed.at(-1);
        done.push({ fetched, ...(await load(windowsRun, fetched, run, isFollowed)) });
      }
    });
  } catch {
    // Each is loaded by itself then, and which of them it was says why.
    return false;
  }
  for (const { fetched, run, loaded } of done) await note(windowsRun, fetched, run, loaded);
  return true;
}

/** Loads one fetch in a transaction of its own. */
async function loadOne(windowsRun: WindowsRun, fetched: Fetched): Promise<void> {
  if ("error" in fetched) throw fetched.error;
  const { run, loaded } = await load(windowsRun, fetched, windowsRun.run, false);
  await note(windowsRun, fetched, run, loaded);
}

function load(
  { home, writer, client, world, loader }: WindowsRun,
  { manifest }: LandedFetch,
  run: RunRow,
  isFollowed: boolean,
): Promise<{ readonly run: RunRow; readonly loaded: Loaded }> {
  const finishedAt = (): string => toTimestamp(world.now());
  const how = { counts: client.counts, finishedAt, loader, isFollowed };
  return loadManifest(manifest, run, home, writer, how);
}

const mayAgreeNext: ReadonlySet<Loaded["reason"]> = new Set(["once", "differs", "lacking"]);

// What follows for the run from a fetch that is stored.
async function note(
  windowsRun: WindowsRun,
  { job, manifest }: LandedFetch,
  run: RunRow,
  { state, reason, repeats, result, signs }: Loaded,
): Promise<void> {
  const { writer, fetches, plan, disagreeing, unsplit } = windowsRun;
  windowsRun.run = run;
  const { window, round } = job;
  if (signs.length > 0) windowsRun.contradicted.set(window.startMs, { window, signs });
  else windowsRun.contradicted.delete(window.startMs);
  if (manifest.ended) plan.traits = traitsAfter(plan.traits, manifest.ended);
  if (isUnsplit(plan, result)) unsplit.push(window);
  const isWaiting = state === "closed" && mayAgreeNext.has(reason);
  const isToConfirm = plan.source.confirm || window.startMs < plan.leavesBeforeMs;
  if (!(isWaiting && isToConfirm) && (repeats || result.ambiguous === 0)) return;
  if (round < maxRounds) {
    const { connection } = writer.database;
    const { name, audits } = plan.source;
    const due = await confirmableIn(connection, name, [window], audits.paging.size);
    fetches.again(job, due.get(window.startMs));
  } else if (state === "closed") disagreeing.push(window);
}

function isUnsplit({ source: { limits, audits } }: FetchPlan, { pages }: ReadResult): boolean {
  return audits.window_params === null && pages.length > limits.read_pages;
}
