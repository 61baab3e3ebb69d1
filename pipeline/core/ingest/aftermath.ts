import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { markGaps, markUnserved } from "../load/mark-windows.ts";
import { unlikeWarnings } from "../load/own-ids.ts";
import { secondText } from "../../base/time/text.ts";
import { directoryNotes } from "../completeness/directory.ts";
import { readingOf } from "../completeness/reading.ts";
import { unfinalizedLines } from "../completeness/unfinalized.ts";
import { readingWarnings } from "../completeness/warnings.ts";
import { lateArrivalsIn, conflictsIn, watermarkOf } from "../store/ledger/coverage.ts";
import { unlikeIn } from "../store/ledger/source-ids.ts";
import { plural } from "../../base/terminal/amounts.ts";
import type { Facts } from "../../base/sql/typed-rows.ts";
import type { RunOutcome } from "./finish-run.ts";
import type { FetchPlan, SourceRun } from "./task.ts";
import type { Interval } from "../../base/time/interval.ts";

/** What is known of a source after its run. */
export type Aftermath = {
  readonly final: Interval | undefined;
  /** Intervals that left the scheduled range without being final. */
  readonly gaps: readonly Interval[];
  /** Closed windows that only wait for their next read, in words. */
  readonly waiting: readonly string[];
  /** What somebody should act on, beside failures. */
  readonly warnings: readonly string[];
};

/** What a run leaves behind: gaps, what is final, what waits, what somebody should know. */
export async function aftermath(
  { settings: { home }, source, writer, world }: SourceRun,
  { runId, isScheduledRun }: FetchPlan,
  { failures, contradicted }: Pick<RunOutcome, "failures" | "contradicted">,
  startedMs: number,
): Promise<Aftermath> {
  const { connection } = writer.database;
  // By the clock that the windows were planned by: a long run passes more of them than it has confirmed.
  const context = { connection, landing: home.landing, runId, nowMs: startedMs };
  const failed = failures.filter(({ isUnserved }) => isUnserved).map(({ window }) => window);
  const unserved = await markUnserved(context, source.name, failed);
  const gaps = isScheduledRun && !world.signal.aborted ? await markGaps(context, source) : [];
  const { final } = await watermarkOf(connection, source.name);
  const found = await readingOf(connection, source.name, source, world.now());
  // The run reports what its own reads contradict.
  const isReported = ({ reason }: Facts): boolean => reason === "signs" && contradicted.length > 0;
  const reading = { ...found, unfinalized: found.unfinalized.filter((one) => !isReported(one)) };
  const { waiting } = unfinalizedLines(source.name, reading.unfinalized);
  const late = await lateWarning(connection, runId, source.name, final);
  const altered = await conflictWarning(connection, runId, source.name);
  const unlike = unlikeWarnings(await unlikeIn(connection, runId), source);
  const { missing } = await directoryNotes(connection, source.name);
  // Where a backfill was interrupted, one line says how to go on with all of it.
  const isGoneOn = world.signal.aborted && !isScheduledRun;
  const lacking = isGoneOn ? [] : readingWarnings(reading, source.window);
  const refused = unservedLines(unserved, source.name);
  const warnings = [...refused, ...lacking, ...missing, ...late, ...altered, ...unlike];
  return { final, gaps, waiting, warnings };
}

function unservedLines(unserved: readonly Interval[], source: string): string[] {
  return unserved.map(({ startMs, endMs }) => {
    const [from, to] = [secondText(startMs), secondText(endMs)];
    return `the service does not serve the events of ${from} to ${to}: recorded as a coverage gap, the rest is loaded; ask who runs the service, then run ${commandText("ingest", "--source", source, "--from", from, "--to", to)}`;
  });
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
