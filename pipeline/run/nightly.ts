import pLimit from "p-limit";
import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import { listManifests, type Manifest } from "../landing/store.ts";
import type { Home } from "../home.ts";
import type { Window } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import { loadedReads, recordRun, type RunRow } from "../warehouse/ledger.ts";
import type { World } from "../world.ts";
import { loadRead } from "./load.ts";
import { factsOf, landWindow, pagesOf, type ReadPlan } from "./read.ts";
import { addRead, toTimestamp } from "./totals.ts";
import type { Writer } from "./writer.ts";

export type Told = (done: number, note: string) => void;

/** What a run over windows came to. */
export type RunOutcome = { readonly run: RunRow; readonly failures: readonly string[] };

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
  const failures: string[] = [];
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
      failures.push(`${new Date(window.startMs).toISOString()}: ${messageOf(error)}`);
    }
    tell(i + 1, `${run.fetched} events`);
  }
  const outcome =
    failures.length === 0 ? "done" : failures.length < windows.length ? "partial" : "failed";
  return { run: await end(run, outcome, failures[0] ?? null, writer, client, world), failures };
}

/** Loads reads that were landed but not loaded, as a killed run leaves them; returns how many. */
export async function loadPending(
  home: Home,
  like: RunRow,
  writer: Writer,
  world: World,
): Promise<number> {
  const loaded = await loadedReads(writer.database.connection);
  const pending = listManifests(home.landing).filter((manifest) => !loaded.has(manifest.read_id));
  const killed = { ...like, outcome: "interrupted" as const };
  await loadManifests(pending, killed, home, writer, world, () => undefined);
  return pending.length;
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
  const runs = new Map<string, RunRow>();
  for (const [i, manifest] of manifests.entries()) {
    world.signal.throwIfAborted();
    const known = runs.get(manifest.run_id) ?? runOf(manifest, like);
    const counts = { requests: 0, retries: 0 };
    runs.set(manifest.run_id, await loadManifest(manifest, known, home, writer, counts, world));
    tell(i + 1, manifest.read_id);
  }
}

function runOf(manifest: Manifest, like: RunRow): RunRow {
  const { run_id: runId, source, command, read_at: startedAt } = manifest;
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
  const pages = pagesOf(home.landing, manifest);
  await loadRead(
    context,
    factsOf(manifest),
    pages,
    manifest.records_at,
    () => Promise.resolve(manifest),
    ({ result }) => {
      after = { ...addRead(run, result), ...counts, finishedAt: toTimestamp(world.now()) };
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
