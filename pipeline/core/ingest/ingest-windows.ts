import { notify, warning, type Notice } from "../../base/notice/notice.ts";
import { getMessage } from "../../base/errors.ts";
import { newPageCache, newLoader } from "../load/loader.ts";
import { newClockCheck, ClockError } from "../source/clock.ts";
import { newProgress, type OnProgress } from "../../base/terminal/progress.ts";
import { newSourceNotice, readTotals } from "../completeness/reading.ts";
import { readRunOutcome, type Report } from "./report.ts";
import { landWindow } from "./fetch-window.ts";
import { end, finishRun, loadAll, type Outcome, type Run } from "./loading.ts";
import { newFetchQueue } from "./fetch-queue.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { loadPending } from "../load/pending-reads.ts";
import { computeRetention } from "../load/mark-windows.ts";
import type { PlannedFetch } from "./plan-fetches.ts";
import { newRun, newRunId, type RunRow } from "../store/ledger/record.ts";
import { formatSecond, toTimestamp } from "../../base/time/text.ts";
import type { Writer } from "../writer/open.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { describeForm } from "../source/ending.ts";
import { readToolVersion } from "../../base/home/version.ts";
import { listConfirmable, findNewestRead, readTraits } from "../store/ledger/coverage.ts";
import type { World } from "../../base/world.ts";
import {
  type AcrossSources,
  type DueRange,
  planDueRange,
  type Plan,
  planSecondFetches,
  type SourceRun,
} from "./plan.ts";
import { loadUsers, newRunClock, setAsideReadsAhead } from "./prepare-run.ts";
import { formatCommand } from "../../base/command-line.ts";
import { warnOfRetention } from "../completeness/warnings.ts";
import { formatDuration, formatCount } from "../../base/terminal/amounts.ts";

/**
 * Reads and loads the pending windows of a source, with the warehouse open. The caller publishes, and names the sources
 * that follow.
 */
export async function ingestWindows(
  own: SourceRun,
  across: AcrossSources = { ambiguous: [], coming: new Set() },
): Promise<Report> {
  const { settings, source, backfill, writer, world } = own;
  const { connection } = writer.database;
  const { progress: mode, quiet } = settings.flags;
  const nowMs = world.now();
  const isScheduledRun = backfill === undefined;
  const blank = newBlankRun(source, isScheduledRun, writer, nowMs, world);
  const pending = await loadPending(settings.home, blank, writer, world);
  const warn = (notice: Notice): void => notify(world, notice);
  const known = await findNewestRead(connection, source.name);
  const clock = newRunClock(nowMs, world, newClockCheck(isScheduledRun, known, world.now, warn));
  const users = await loadUsers(own, clock.check);
  users.ended.forEach(warn);
  await setAsideReadsAhead(own, clock, blank.runId);
  const due = await planDueRange(connection, source, backfill, clock.earlierMs());
  const second = planSecondFetches(pending.ambiguous, source, due, across);
  const resumed = { ...pending, failures: [...pending.failures, ...second.failures] };
  const planned = await withConfirming(connection, source, [...due.planned, ...second.planned]);
  const { startMs, endMs } = due.range;
  const run = { ...blank, rangeStart: toTimestamp(startMs), rangeEnd: toTimestamp(endMs) };
  const newestReadMs = await findNewestRead(connection, source.name);
  if (quiet !== true) announceRange(due, isScheduledRun, resumed.loaded, source, world);
  if (isScheduledRun) printPause(newestReadMs, nowMs, world);
  second.warnings.forEach(warn);
  const isNew = newestReadMs === undefined;
  const newSource = isNew ? await newSourceNotice(connection, source, settings) : undefined;
  if (newSource !== undefined) warn(newSource);
  await warnOfLoss(connection, source, nowMs, world);
  const plan: Plan = {
    ...due,
    runId: run.runId,
    source,
    landing: settings.home.landing,
    isScheduledRun,
    rangeStartMs: due.windows[0]?.startMs ?? startMs,
    checkClock: clock.check,
    held: newPageCache(),
    leavesBeforeMs: isScheduledRun ? clock.earlierMs() - computeRetention(source) : 0,
    traits: await readTraits(connection, source.name, describeForm(source.audits)),
  };
  const progress = newProgress(mode, quiet === true, planned.length, "windows", world);
  try {
    const outcome = await runWindows(own, plan, planned, run, progress.update);
    const after = await readRunOutcome(own, plan, outcome, clock.earlierMs());
    return { plan, ...outcome, ...after, resumed, usersError: users.error };
  } finally {
    progress.end();
  }
}

// Runs several reads at once. A failing window does not affect the others. A refused key or an interrupt ends the run,
// but stored fetches are still loaded.
async function runWindows(
  { client, settings: { home }, writer, world }: SourceRun,
  plan: Plan,
  planned: readonly PlannedFetch[],
  start: RunRow,
  onProgress: OnProgress,
): Promise<Outcome> {
  const { limits, audits } = plan.source;
  const fetches = newFetchQueue(
    planned,
    limits.concurrency,
    audits.window_params !== null,
    (task) => landWindow(client, plan, task, world),
  );
  const loader = newLoader(home, writer, fetches.landed, plan.held);
  const common = { fetches, client, plan, home, writer, world, loader };
  const own: Run = {
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
    await loadAll(own, onProgress);
  } catch (error) {
    // A run that stored nothing leaves no trace of its wrong times. What went wrong first is what counts: a
    // database that is down does not take the run's row either.
    if (!(error instanceof ClockError) || own.run.windows > 0)
      await end(own, "failed", getMessage(error)).catch(() => undefined);
    throw error;
  } finally {
    fetches.stop();
    world.signal.removeEventListener("abort", fetches.stop);
  }
  return finishRun(own);
}

// Only a second read can make a window final; the first read decides how it is requested.
async function withConfirming(
  connection: DuckDBConnection,
  source: NamedSource,
  planned: readonly PlannedFetch[],
): Promise<PlannedFetch[]> {
  const { size } = source.audits.paging;
  const due = await listConfirmable(connection, source.name, planned, size);
  return planned.map((one) => ({ ...one, confirming: due.get(one.startMs) }));
}

function newBlankRun(
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
    toolVersion: readToolVersion(),
  });
}

// Runs are a day apart; a longer pause is reported also under --quiet, since it may remain unnoticed.
const longestPauseMs = 36 * 3_600_000;

/** Warns where the newest read is older than the usual pause between two runs. */
export function printPause(newestReadMs: number | undefined, nowMs: number, world: World): void {
  const pauseMs = newestReadMs === undefined ? 0 : nowMs - newestReadMs;
  if (pauseMs <= longestPauseMs) return;
  notify(world, warning("pause_long", { pause_s: pauseMs / 1000 }));
}

export function announceRange(
  { range, isFirst }: DueRange,
  isScheduledRun: boolean,
  loaded: number,
  { name, lookback }: NamedSource,
  world: World,
): void {
  if (loaded > 0)
    world.stderr.write(`loaded ${formatCount(loaded, "read")} stored by an earlier run\n`);
  const why = isScheduledRun ? "from the checkpoint and the look-back" : "as requested";
  const [from, to] = [formatSecond(range.startMs), formatSecond(range.endMs)];
  if (!isScheduledRun || !isFirst)
    return void world.stderr.write(`reading ${from} to ${to}, ${why}\n`);
  const back = formatDuration(lookback / 1000);
  world.stderr.write(
    `reading ${from} to ${to}: no checkpoint yet, so only the look-back of ${back}; for more, ${formatCommand("ingest", "--source", name, "--from", "30d", "--confirm")}\n`,
  );
}

/**
 * Warns of a time whose events the service has deleted. The warning precedes the first event: from then on an empty
 * answer looks like a quiet time.
 */
async function warnOfLoss(
  connection: DuckDBConnection,
  source: NamedSource,
  nowMs: number,
  world: World,
): Promise<void> {
  // To ask how far reading has come takes a twentieth of a small run.
  if (source.retention === undefined) return;
  const totals = await readTotals(connection, source.name);
  if (totals === undefined) return;
  for (const notice of warnOfRetention({ source: source.name, totals }, source, nowMs))
    notify(world, notice);
}
