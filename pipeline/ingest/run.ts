import type { DuckDBConnection } from "@duckdb/node-api";
import { loadPending, type Resumed } from "../load/landed.ts";
import { newHeldPages } from "../load/held-pages.ts";
import { runWindows, type RunOutcome } from "./windows.ts";
import { markGaps, retentionOf } from "../load/marks.ts";
import type { PlannedRead } from "./plan.ts";
import type { ReadPlan, SourceTurn } from "./task.ts";
import { newProgress } from "../terminal/progress.ts";
import { newRun, newRunId } from "../store/ledger/totals.ts";
import { toTimestamp, secondText } from "../moments/text.ts";
import type { Writer } from "../writer/open.ts";
import type { NamedSource } from "../home/settings.ts";
import { clockCheck } from "../source/clock.ts";
import { formOf } from "../source/ending.ts";
import { toolVersion } from "../home/version.ts";
import { confirmableIn } from "../store/ledger/confirming.ts";
import {
  lateArrivalsIn,
  conflictsIn,
  watermarkOf,
  newestReadOf,
  type Interval,
} from "../store/ledger/coverage.ts";
import type { RunRow } from "../store/ledger/record.ts";
import { traitsOf } from "../store/ledger/traits.ts";
import type { World } from "../world.ts";
import { readingOf, totalsOf } from "../status/facts.ts";
import { unfinalizedLines } from "../status/unfinalized.ts";
import { missedRetention, readingWarnings } from "../status/warnings.ts";
import { durationText, plural } from "../terminal/amounts.ts";
import { directoryNotes } from "../status/directory.ts";
import { secondReads, type Turn } from "./second-reads.ts";
import { type Due, dueOf } from "./due.ts";
import { loadUsers } from "./users.ts";

/** What one night, or one backfill, came to. */
export type Ingested = {
  readonly due: Due;
  readonly isNightly: boolean;
  readonly outcome: RunOutcome;
  readonly resumed: Resumed;
  readonly usersError: string | undefined;
  readonly final: Interval | undefined;
  /** Intervals that left the nightly range without being final. */
  readonly gaps: readonly Interval[];
  /** Closed windows that only wait for their next read, in words. */
  readonly waiting: readonly string[];
  /** What somebody should act on, beside failures. */
  readonly warnings: readonly string[];
};

/**
 * Reads and loads what is due for a source, with the warehouse open; publishing is left to the caller, who also says
 * which sources' turn is still to come.
 */
export async function ingestWindows(
  own: SourceTurn,
  turn: Turn = { inDoubt: [], coming: new Set() },
): Promise<Ingested> {
  const { settings, source, backfill, writer, world } = own;
  const { connection } = writer.database;
  const { progress: mode, quiet } = settings.flags;
  const nowMs = world.now();
  const isNightly = backfill === undefined;
  const blank = blankRun(source, isNightly, writer, nowMs, world);
  const pending = await loadPending(settings.home, blank, writer, world);
  const due = await dueOf(connection, source, backfill, nowMs);
  const second = secondReads(pending.inDoubt, source, due, turn);
  const resumed = { ...pending, failures: [...pending.failures, ...second.failures] };
  const planned = await withConfirming(connection, source, [...due.planned, ...second.planned]);
  const { startMs, endMs } = due.range;
  const run = { ...blank, rangeStart: toTimestamp(startMs), rangeEnd: toTimestamp(endMs) };
  const newestReadMs = await newestReadOf(connection, source.name);
  if (quiet !== true) announce(due, isNightly, resumed.loaded, source, world);
  if (isNightly) tellPause(newestReadMs, nowMs, world);
  const warn = (text: string): void => void world.stderr.write(`warning: ${text}\n`);
  second.warnings.forEach(warn);
  const checkClock = clockCheck(isNightly, newestReadMs, world.now, warn);
  const usersError = await loadUsers(own, checkClock);
  await warnOfLoss(connection, source, nowMs, world);
  const rangeStartMs = due.windows[0]?.startMs ?? startMs;
  const plan = {
    runId: run.runId,
    source,
    landing: settings.home.landing,
    nightly: isNightly,
    rangeStartMs,
    checkClock,
    held: newHeldPages(),
    leavesBeforeMs: isNightly ? nowMs - retentionOf(source) : 0,
    traits: await traitsOf(connection, source.name, formOf(source.audits)),
  };
  const progress = newProgress(mode, quiet === true, planned.length, "windows", world);
  try {
    const outcome = await runWindows(own, plan, planned, run, progress.update);
    const after = await aftermath(own, plan, nowMs);
    return { due, isNightly, outcome, resumed, usersError, ...after };
  } finally {
    progress.end();
  }
}

// What the run leaves behind: gaps, what is final, what waits, what somebody should know.
async function aftermath(
  { settings: { home }, source, writer, world }: SourceTurn,
  { runId, nightly }: ReadPlan,
  startedMs: number,
): Promise<Pick<Ingested, "final" | "gaps" | "waiting" | "warnings">> {
  const { connection } = writer.database;
  // By the clock that the windows were planned by: a long run passes more of them than it has confirmed.
  const context = { connection, landing: home.landing, runId, nowMs: startedMs };
  const gaps = nightly && !world.signal.aborted ? await markGaps(context, source) : [];
  const { final } = await watermarkOf(connection, source.name);
  const reading = await readingOf(connection, source.name, source, world.now());
  const { waiting } = unfinalizedLines(source.name, reading.unfinalized);
  const late = await lateWarning(connection, runId, source.name, final);
  const altered = await conflictWarning(connection, runId, source.name);
  const { missing } = await directoryNotes(connection, source.name);
  const warnings = [...readingWarnings(reading), ...missing, ...late, ...altered];
  return { final, gaps, waiting, warnings };
}

// Only a second read can make a window final; how it is asked for depends on the first.
async function withConfirming(
  connection: DuckDBConnection,
  source: NamedSource,
  planned: readonly PlannedRead[],
): Promise<PlannedRead[]> {
  const { size } = source.audits.paging;
  const due = await confirmableIn(connection, source.name, planned, size);
  return planned.map((one) => ({ ...one, confirming: due.get(one.startMs) }));
}

// Runs are a night apart; a longer pause is said also under --quiet, since nobody else may notice it.
const longestPauseMs = 36 * 3_600_000;

function tellPause(newestReadMs: number | undefined, nowMs: number, world: World): void {
  const pauseMs = newestReadMs === undefined ? 0 : nowMs - newestReadMs;
  if (pauseMs <= longestPauseMs) return;
  world.stderr.write(
    `warning: the last read is ${durationText(pauseMs / 1000)} old, so runs did not take place; what the service still has of that time is read now\n`,
  );
}

function announce(
  { range, isFirst }: Due,
  isNightly: boolean,
  loaded: number,
  { name, lookback }: NamedSource,
  world: World,
): void {
  if (loaded > 0)
    world.stderr.write(`loaded ${plural(loaded, "read")} that an earlier run had landed\n`);
  const why = isNightly ? "from the checkpoint and the look-back" : "as asked for";
  const [from, to] = [secondText(range.startMs), secondText(range.endMs)];
  if (!isNightly || !isFirst) return void world.stderr.write(`reading ${from} to ${to}, ${why}\n`);
  const back = durationText(lookback / 1000);
  world.stderr.write(
    `reading ${from} to ${to}: there is no checkpoint yet, so the look-back of ${back} alone; for more, auditlake ingest --source ${name} --from 30d --confirm\n`,
  );
}

function blankRun(
  { name }: NamedSource,
  isNightly: boolean,
  { catalogVersion }: Writer,
  nowMs: number,
  world: World,
): RunRow {
  return newRun({
    runId: newRunId(nowMs, world.random),
    source: name,
    command: isNightly ? "ingest" : "backfill",
    startedAt: toTimestamp(nowMs),
    rangeStart: null,
    rangeEnd: null,
    catalogVersion,
    toolVersion: toolVersion(),
  });
}

// Said before any event is read: from then on nobody can tell an empty answer from a quiet time.
async function warnOfLoss(
  connection: DuckDBConnection,
  source: NamedSource,
  nowMs: number,
  world: World,
): Promise<void> {
  const totals = await totalsOf(connection, source.name);
  if (totals === undefined) return;
  for (const line of missedRetention({ source: source.name, totals }, source, nowMs))
    world.stderr.write(`WARNING: ${line}\n`);
}

// Now and then one request has records of one id; many are a sign of ids that name something else, or of an altered log.
async function conflictWarning(
  connection: DuckDBConnection,
  runId: string,
  source: string,
): Promise<string[]> {
  const { inserted, conflicts } = await conflictsIn(connection, runId, source);
  if (conflicts <= leastConflicts || conflicts <= inserted / 100) return [];
  return [
    `${plural(conflicts, "new event")} of ${inserted} share an id with another of other content: see the view id_conflicts; the log may have been altered, or the id may not be that of the record`,
  ];
}

const leastConflicts = 100;

// A service that selects by another time than that of the event brings late ones with windows that are not theirs.
async function lateWarning(
  connection: DuckDBConnection,
  runId: string,
  source: string,
  final: Interval | undefined,
): Promise<string[]> {
  if (final === undefined) return [];
  const found = await lateArrivalsIn(connection, runId, final);
  if (found === undefined) return [];
  const { events, firstMs, lastMs } = found;
  return [
    `${plural(events, "event")} of ${secondText(firstMs)} to ${secondText(lastMs)} came with other windows, in time that was final; the service may select by another time than that of the event: see audits.window_params of sources.${source}`,
  ];
}
