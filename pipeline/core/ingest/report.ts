import { formatCommand } from "../../base/command-line.ts";
import { fault, type Notice, notify, formatNotice, warning } from "../../base/notice/notice.ts";
import {
  listIncompleteNotices,
  maxRounds,
  type Outcome,
  type WindowFailure,
  formatWindows,
} from "./loading.ts";
import type { Plan, SourceRun } from "./plan.ts";
import type { ResumeResult } from "../load/pending-reads.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { countText, formatCount } from "../../base/terminal/amounts.ts";
import { formatSecond } from "../../base/time/text.ts";
import type { Interval } from "../../base/time/periods.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { markGaps, markUnserved } from "../load/mark-windows.ts";
import { warnOfUnlikeIds } from "../load/own-ids.ts";
import { readDirectoryNotes } from "../completeness/directory.ts";
import { readSourceReads } from "../completeness/reading.ts";
import { listReadWarnings, listUnfinalizedNotices } from "../completeness/warnings.ts";
import {
  countConflicts,
  countLateArrivals,
  countUnlike,
  readWatermark,
} from "../store/ledger/coverage.ts";
import type { Facts } from "../../base/sql/facts.ts";

/** What one run of a source, scheduled or a backfill, came to. */
export type Report = Outcome &
  RunOutcome & {
    readonly plan: Pick<Plan, "windows" | "range" | "isScheduledRun">;
    readonly resumed: ResumeResult;
    readonly usersError: Notice | undefined;
  };

/** Prints the summary of a run on standard error: under `quiet`, only what needs action. */
export function printSummary(
  report: Report,
  source: NamedSource,
  isQuiet: boolean,
  seconds: number,
  world: World,
): void {
  const { run, resumed, usersError, warnings } = report;
  const print = (line: string): void => void world.stderr.write(`${line}\n`);
  const warnOfQuarantine = (records: number, wasLanded: boolean): Notice[] =>
    records === 0 ? [] : [warning("quarantined", { records, was_landed: wasLanded }, ["status"])];
  const notices = [
    ...resumed.failures,
    ...listFailureNotices(report.failures),
    ...listIncompleteNotices(report.contradicted, source),
    ...warnOfQuarantine(resumed.quarantined, true),
    ...(usersError === undefined ? [] : [usersError]),
    ...listWindowWarnings(report, source),
    ...report.gaps.map(({ startMs, endMs }) => {
      const [from, to] = [formatSecond(startMs), formatSecond(endMs)];
      const command = ["ingest", "--source", source.name, "--from", from, "--to", to, "--confirm"];
      return warning("gap_left", { from, to, source: source.name }, command);
    }),
    ...warnings,
    ...warnOfQuarantine(isQuiet ? run.quarantined : 0, false),
  ];
  for (const notice of notices) notify(world, notice);
  if (!isQuiet) for (const line of countLines(report, seconds)) print(line);
  if (world.signal.aborted) print(interruptText(report, source));
}

function countLines({ run, left, plan, waiting, final }: Report, seconds: number): string[] {
  const windows = plan.windows.length;
  const reads = formatCount(run.windows, "read");
  const asked = formatCount(windows, "window");
  const all = run.windows === windows ? asked : `${asked} (${reads})`;
  const where = left.length > 0 ? reads : all;
  const quarantined = run.quarantined > 0 ? `, ${run.quarantined} quarantined` : "";
  const missing = run.missing > 0 ? `, ${run.missing} missing at the source` : "";
  return [
    `${formatCount(run.fetched, "event")} in ${where}: ${countText(run.inserted)} new, ${formatCount(run.duplicate, "duplicate")}${quarantined}${missing}; ${formatCount(run.requests, "request")}, ${run.retries === 1 ? "1 retry" : `${run.retries} retries`}, ${seconds.toFixed(1)} s`,
    ...waiting.map(formatNotice),
    final === undefined
      ? "verified complete: –; each window needs two equal, complete reads after its end"
      : `verified complete from ${formatSecond(final.startMs)} to ${formatSecond(final.endMs)}`,
  ];
}

// Windows that failed for the same reason share a notice.
function listFailureNotices(failures: readonly WindowFailure[]): Notice[] {
  const byMessage = Map.groupBy(failures, (failure) => failure.message);
  return [...byMessage].map(([why, all]) =>
    fault("window_failed", { windows: formatWindows(all.map(({ window }) => window)), why }),
  );
}

function listWindowWarnings(
  { disagreeing, unsplit, ignoresWindows }: Outcome,
  { name: source }: NamedSource,
): Notice[] {
  const notices: Notice[] = [];
  if (disagreeing.length > 0)
    notices.push(
      warning("reads_disagree", { windows: formatWindows(disagreeing), reads: maxRounds }),
    );
  if (ignoresWindows) notices.push(warning("windows_ignored", { source }));
  else if (unsplit.length > 0)
    notices.push(warning("window_unsplit", { windows: formatWindows(unsplit), source }));
  return notices;
}

function interruptText({ left, plan }: Report, { name, confirm }: NamedSource): string {
  const isLeft = (window: Interval): boolean =>
    left.some(({ startMs, endMs }) => startMs < window.endMs && endMs > window.startMs);
  const done = plan.windows.filter((window) => !isLeft(window)).length;
  const fromMs = left.reduce((least, { startMs }) => Math.min(least, startMs), Infinity);
  const what = `interrupted: ${done} of ${formatCount(plan.windows.length, "window")} committed`;
  if (left.length === 0) return what;
  const from = formatSecond(fromMs);
  return plan.isScheduledRun
    ? `${what}; the next run resumes at ${from}`
    : `${what}; continue with ${formatCommand("ingest", "--source", name, "--from", from, "--to", formatSecond(plan.range.endMs))}${confirm ? " --confirm" : ""}`;
}

type RunOutcome = {
  readonly final: Interval | undefined;
  /** Intervals that left the scheduled range without being final. */
  readonly gaps: readonly Interval[];
  /** Closed windows that only wait for their next read. */
  readonly waiting: readonly Notice[];
  /** Warnings that need action, beside failures. */
  readonly warnings: readonly Notice[];
};

/** Reads the state after a run: gaps, final range, waiting windows, and warnings. */
export async function readRunOutcome(
  { settings: { home }, source, writer, world }: SourceRun,
  { runId, isScheduledRun }: Plan,
  { failures, contradicted }: Pick<Outcome, "failures" | "contradicted">,
  startedMs: number,
): Promise<RunOutcome> {
  const { connection } = writer.database;
  // By the clock that the windows were planned by: a long run passes more of them than it has confirmed.
  const context = { connection, landing: home.landing, runId, nowMs: startedMs };
  const failed = failures.filter(({ isUnserved }) => isUnserved).map(({ window }) => window);
  const unserved = await markUnserved(context, source.name, failed);
  const gaps = isScheduledRun && !world.signal.aborted ? await markGaps(context, source) : [];
  const { final } = await readWatermark(connection, source.name);
  const found = await readSourceReads(connection, source.name, source, world.now());
  // The run reports what its own reads contradict.
  const isReported = ({ reason }: Facts): boolean => reason === "signs" && contradicted.length > 0;
  const reading = { ...found, unfinalized: found.unfinalized.filter((one) => !isReported(one)) };
  const { waiting } = listUnfinalizedNotices(source.name, reading.unfinalized);
  const late = await warnOfLateArrivals(connection, runId, source.name, final);
  const altered = await warnOfConflicts(connection, runId, source.name);
  const unlike = warnOfUnlikeIds(await countUnlike(connection, runId), source);
  const { missing } = await readDirectoryNotes(connection, source.name);
  // After an interrupted backfill, one line gives the command that continues it.
  const isGoneOn = world.signal.aborted && !isScheduledRun;
  const incomplete = isGoneOn ? [] : listReadWarnings(reading, source.window);
  const refused = unserved.map(({ startMs, endMs }) => {
    const [from, to] = [formatSecond(startMs), formatSecond(endMs)];
    const command = ["ingest", "--source", source.name, "--from", from, "--to", to];
    return warning("window_unserved", { from, to }, command);
  });
  const warnings = [...refused, ...incomplete, ...missing, ...late, ...altered, ...unlike];
  return { final, gaps, waiting, warnings };
}

// Now and then one request has records of one id; many are a sign of ids that name something else, or of an altered log.
async function warnOfConflicts(
  connection: DuckDBConnection,
  runId: string,
  source: string,
): Promise<Notice[]> {
  const { inserted, conflicts } = await countConflicts(connection, runId, source);
  if (conflicts <= leastConflicts || conflicts <= inserted / 100) return [];
  return [warning("ids_conflict", { conflicts, events: inserted })];
}

const leastConflicts = 100;

// A service that selects by another time than that of the event brings late ones with windows that are not theirs.
async function warnOfLateArrivals(
  connection: DuckDBConnection,
  runId: string,
  source: string,
  final: Interval | undefined,
): Promise<Notice[]> {
  if (final === undefined) return [];
  const found = await countLateArrivals(connection, runId, final);
  if (found === undefined) return [];
  const { events, firstMs, lastMs } = found;
  const [from, to] = [formatSecond(firstMs), formatSecond(lastMs)];
  return [warning("events_elsewhere", { events, from, to, source })];
}
