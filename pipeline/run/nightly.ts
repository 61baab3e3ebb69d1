import pLimit from "p-limit";
import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import { listManifests, type Manifest } from "../landing/store.ts";
import type { Home } from "../home.ts";
import type { Window } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import { loadedReads, recordRun, storedRun, type RunRow } from "../warehouse/ledger.ts";
import type { World } from "../world.ts";
import { loadRead } from "./load.ts";
import { factsOf, landWindow, pagesOf, type ReadPlan } from "./read.ts";
import { addRead, toTimestamp } from "./totals.ts";
import type { Writer } from "./writer.ts";

export type Told = (done: number, note: string) => void;

export type WindowFailure = { readonly window: Window; readonly message: string };

/** What a run over windows came to. */
export type RunOutcome = { readonly run: RunRow; readonly failures: readonly WindowFailure[] };

/**
 * Reads the windows, several at once, and loads them in their order, each in a transaction of its own. A
 * window that fails leaves the others alone; a refused key or an interrupt ends the run.
 */
export async function runWindows(
  client: Client,
  plan: ReadPlan,
  windows: readonly Window[],
  start: RunRow,
  home: Home,
  writer: Writer,
  world: World,
  tell: Told,
): Promise<RunOutcome> {
  const limit = pLimit(plan.source.limits.concurrency);
  const reads = windows.map((window) => limit(() => landWindow(client, plan, window, world)));
  for (const read of reads) read.catch(() => undefined);
  const failures: WindowFailure[] = [];
  let run = start;
  for (const [i, window] of windows.entries()) {
    try {
      run = await loadManifest(await reads[i]!, run, home, writer, client.counts, world);
    } catch (error) {
      if (isFinal(error) || world.signal.aborted) {
        limit.clearQueue();
        await end(
          run,
          world.signal.aborted ? "interrupted" : "failed",
          messageOf(error),
          writer,
          client,
          world,
        );
        throw error;
      }
      failures.push({ window, message: messageOf(error) });
    }
    tell(i + 1, `${run.fetched} events`);
  }
  const outcome =
    failures.length === 0 ? "done" : failures.length < windows.length ? "partial" : "failed";
  const error = failures[0]?.message ?? null;
  return { run: await end(run, outcome, error, writer, client, world), failures };
}

/** What came of the reads that an earlier run had left. */
export type Resumed = { readonly loaded: number; readonly failures: readonly string[] };

/**
 * Loads reads that were landed but not loaded, as a killed run leaves them. One that cannot be loaded does not
 * stand in the way of the others or of the new run.
 */
export async function loadPending(
  home: Home,
  like: RunRow,
  writer: Writer,
  world: World,
): Promise<Resumed> {
  const known = await loadedReads(writer.database.connection);
  const pending = listManifests(home.landing).filter((manifest) => !known.has(manifest.read_id));
  const killed = { ...like, outcome: "interrupted" as const };
  const failures: string[] = [];
  for (const manifest of pending) {
    try {
      await loadManifests([manifest], killed, home, writer, world, () => undefined);
    } catch (error) {
      if (isFinal(error) || world.signal.aborted) throw error;
      failures.push(`landed read ${manifest.read_id}: ${messageOf(error)}`);
    }
  }
  return { loaded: pending.length - failures.length, failures };
}

/** Loads landed reads in the order they were read, each counted to the run that read it. */
export async function loadManifests(
  manifests: readonly Manifest[],
  like: RunRow,
  home: Home,
  writer: Writer,
  world: World,
  tell: Told,
): Promise<void> {
  for (const [i, manifest] of manifests.entries()) {
    world.signal.throwIfAborted();
    const stored = await storedRun(writer.database.connection, manifest.run_id);
    const run = { ...runOf(manifest, like), ...stored };
    await loadManifest(manifest, run, home, writer, run, world);
    tell(i + 1, manifest.read_id);
  }
}

function runOf(manifest: Manifest, like: RunRow): RunRow {
  const { run_id: runId, source, read_at: startedAt } = manifest;
  const isBackfill = manifest.command === "ingest" && !manifest.nightly;
  const command = isBackfill ? "backfill" : manifest.command;
  return { ...like, runId, source, command, startedAt, rangeStart: null, rangeEnd: null };
}

/** Loads one landed read and returns the run with it added. */
export async function loadManifest(
  manifest: Manifest,
  run: RunRow,
  home: Home,
  writer: Writer,
  counts: { readonly requests: number; readonly retries: number },
  world: World,
): Promise<RunRow> {
  let after = run;
  const context = { home, ...writer };
  const read = factsOf(manifest);
  await loadRead(
    context,
    read,
    pagesOf(home.landing, manifest),
    manifest.records_at,
    () => Promise.resolve(manifest),
    ({ result }) => {
      const { requests, retries } = counts;
      const finishedAt = toTimestamp(world.now());
      after = { ...addRead(run, read, result), requests, retries, finishedAt };
      return after;
    },
  );
  return after;
}

async function end(
  run: RunRow,
  outcome: RunRow["outcome"],
  error: string | null,
  writer: Writer,
  client: Client,
  world: World,
): Promise<RunRow> {
  const row = { ...run, ...client.counts, outcome, error, finishedAt: toTimestamp(world.now()) };
  await recordRun(writer.database.connection, row);
  return row;
}

function isFinal(error: unknown): boolean {
  return !(error instanceof AuditlakeError) || error.exitCode === exitCode.refused;
}
