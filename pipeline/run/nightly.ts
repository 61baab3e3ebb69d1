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
  catalogRun: RunRow,
  writer: Writer,
  world: World,
): Promise<number> {
  const loaded = await loadedReads(writer.database.connection);
  const pending = listManifests(home.landing).filter((manifest) => !loaded.has(manifest.read_id));
  for (const manifest of pending) {
    const run = {
      ...catalogRun,
      runId: manifest.run_id,
      source: manifest.source,
      command: manifest.command,
      startedAt: manifest.read_at,
    };
    await loadManifest(manifest, run, home, writer, { requests: 0, retries: 0 }, world);
  }
  return pending.length;
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
  const context = { home, database: writer.database, rules: writer.rules };
  const pages = pagesOf(home.landing, manifest);
  await loadRead(
    context,
    factsOf(manifest),
    pages,
    manifest.records_at,
    () => Promise.resolve(manifest),
    ({ result }) => {
      after = {
        ...addRead(run, result),
        ...counts,
        outcome: "partial",
        finishedAt: toTimestamp(world.now()),
      };
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
