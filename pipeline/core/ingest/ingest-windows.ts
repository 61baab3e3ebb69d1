import { type Notice, notify, warning } from "../../base/notice/notice.ts";
import { messageOf } from "../../base/errors.ts";
import { newHeldPages, newLoader } from "../load/loader.ts";
import { clockCheck, ClockError } from "../source/clock.ts";
import { newProgress, type OnProgress } from "../../base/terminal/progress.ts";
import { newSourceLine } from "../completeness/new-source.ts";
import { aftermath, type Aftermath } from "./aftermath.ts";
import { landWindow } from "./fetch-window.ts";
import { loadAll } from "./loading.ts";
import { newFetchQueue } from "./fetch-queue.ts";
import { announce, printPause, warnOfLoss } from "./announce.ts";
import type { WindowsRun } from "./windows-run.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { loadPending, type Resumed } from "../load/landed.ts";
import { end, finish, type RunOutcome } from "./finish-run.ts";
import { retentionOf } from "../load/mark-windows.ts";
import type { PlannedFetch } from "./plan-fetches.ts";
import type { FetchPlan, SourceRun } from "./task.ts";
import { newRun, newRunId } from "../store/ledger/totals.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Writer } from "../writer/open.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { formOf } from "../source/ending.ts";
import { toolVersion } from "../../base/home/version.ts";
import { confirmableIn } from "../store/ledger/confirming.ts";
import { newestReadOf } from "../store/ledger/coverage.ts";
import type { RunRow } from "../store/ledger/record.ts";
import { traitsOf } from "../store/ledger/traits.ts";
import type { World } from "../../base/world.ts";
import { secondFetches, type Across } from "./second-fetches.ts";
import { type Due, dueOf } from "./due.ts";
import { loadUsers } from "./load-users.ts";
import { newRunClock, setAsideReadsAhead } from "./run-clock.ts";

/** What one run, scheduled or a backfill, came to. */
export type Ingested = Aftermath & {
  readonly due: Due;
  readonly isScheduledRun: boolean;
  readonly outcome: RunOutcome;
  readonly resumed: Resumed;
  readonly usersError: Notice | undefined;
};

/**
 * Reads and loads what is due for a source, with the warehouse open. Publishing is left to the caller, who also names
 * the sources that are still to be read.
 */
export async function ingestWindows(
  own: SourceRun,
  across: Across = { ambiguous: [], coming: new Set() },
): Promise<Ingested> {
  const { settings, source, backfill, writer, world } = own;
  const { connection } = writer.database;
  const { progress: mode, quiet } = settings.flags;
  const nowMs = world.now();
  const isScheduledRun = backfill === undefined;
  const blank = blankRun(source, isScheduledRun, writer, nowMs, world);
  const pending = await loadPending(settings.home, blank, writer, world);
  const warn = (text: string): void => notify(world, warning("text", { text }));
  const known = await newestReadOf(connection, source.name);
  const clock = newRunClock(nowMs, world, clockCheck(isScheduledRun, known, world.now, warn));
  const users = await loadUsers(own, clock.check);
  for (const notice of users.ended) notify(world, notice);
  await setAsideReadsAhead(own, clock, blank.runId);
  const due = await dueOf(connection, source, backfill, clock.earlierMs());
  const second = secondFetches(pending.ambiguous, source, due, across);
  const resumed = { ...pending, failures: [...pending.failures, ...second.failures] };
  const planned = await withConfirming(connection, source, [...due.planned, ...second.planned]);
  const { startMs, endMs } = due.range;
  const run = { ...blank, rangeStart: toTimestamp(startMs), rangeEnd: toTimestamp(endMs) };
  const newestReadMs = await newestReadOf(connection, source.name);
  if (quiet !== true) announce(due, isScheduledRun, resumed.loaded, source, world);
  if (isScheduledRun) printPause(newestReadMs, nowMs, world);
  second.warnings.forEach(warn);
  const isNew = newestReadMs === undefined;
  const newSource = isNew ? await newSourceLine(connection, source, settings) : undefined;
  if (newSource !== undefined) warn(newSource);
  await warnOfLoss(connection, source, nowMs, world);
  const rangeStartMs = due.windows[0]?.startMs ?? startMs;
  const plan = {
    runId: run.runId,
    source,
    landing: settings.home.landing,
    isScheduledRun,
    rangeStartMs,
    checkClock: clock.check,
    held: newHeldPages(),
    leavesBeforeMs: isScheduledRun ? clock.earlierMs() - retentionOf(source) : 0,
    traits: await traitsOf(connection, source.name, formOf(source.audits)),
  };
  const progress = newProgress(mode, quiet === true, planned.length, "windows", world);
  try {
    const outcome = await runWindows(own, plan, planned, run, progress.update);
    const after = await aftermath(own, plan, outcome, clock.earlierMs());
    return { due, isScheduledRun, outcome, resumed, usersError: users.error, ...after };
  } finally {
    progress.end();
  }
}

// Several reads at once. A window that fails leaves the others alone. A refused key ends the run, and so does an
// interrupt: what is on disk by then is still loaded.
async function runWindows(
  { client, settings: { home }, writer, world }: SourceRun,
  plan: FetchPlan,
  planned: readonly PlannedFetch[],
  start: RunRow,
  onProgress: OnProgress,
): Promise<RunOutcome> {
  const { limits, audits } = plan.source;
  const fetches = newFetchQueue(
    planned,
    limits.concurrency,
    audits.window_params !== null,
    (task) => landWindow(client, plan, task, world),
  );
  const loader = newLoader(home, writer, fetches.landed, plan.held);
  const common = { fetches, client, plan, home, writer, world, loader };
  const windowsRun: WindowsRun = {
    ...common,
    failures: [],
    disagreeing: [],
    unsplit: [],
    contradicted: new Map(),
    run: start,
  };
  if (world.signal.aborted) fetches.stop();
  world.signal.addEventListener("abort", fetches.stop, { once: true });
  try {
    await loadAll(windowsRun, onProgress);
  } catch (error) {
    // A run that stored nothing leaves no trace of its wrong times. What went wrong first is what counts: a
    // database that is down does not take the run's row either.
    if (!(error instanceof ClockError) || windowsRun.run.windows > 0)
      await end(windowsRun, "failed", messageOf(error)).catch(() => undefined);
    throw error;
  } finally {
    fetches.stop();
    world.signal.removeEventListener("abort", fetches.stop);
  }
  return finish(windowsRun);
}

// Only a second read can make a window final; how it is asked for depends on the first.
async function withConfirming(
  connection: DuckDBConnection,
  source: NamedSource,
  planned: readonly PlannedFetch[],
): Promise<PlannedFetch[]> {
  const { size } = source.audits.paging;
  const due = await confirmableIn(connection, source.name, planned, size);
  return planned.map((one) => ({ ...one, confirming: due.get(one.startMs) }));
}

function blankRun(
  { name }: NamedSource,
  isScheduledRun: boolean,
  { catalogVersion }: Writer,
  nowMs: number,
  world: World,
): RunRow {
  return newRun({
    runId: newRunId(nowMs, world.random),
    source: name,
    command: isScheduledRun ? "ingest" : "backfill",
    startedAt: toTimestamp(nowMs),
    rangeStart: null,
    rangeEnd: null,
    catalogVersion,
    toolVersion: toolVersion(),
  });
}
