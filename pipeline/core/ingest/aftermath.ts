import type { DuckDBConnection } from "@duckdb/node-api";
import { markGaps, markUnserved } from "../load/mark-windows.ts";
import { unlikeWarnings } from "../load/own-ids.ts";
import { secondText } from "../../base/time/text.ts";
import { directoryNotes } from "../completeness/directory.ts";
import { readingOf } from "../completeness/reading.ts";
import { unfinalizedNotices } from "../completeness/unfinalized.ts";
import { readingWarnings } from "../completeness/warnings.ts";
import { lateArrivalsIn, conflictsIn, watermarkOf } from "../store/ledger/coverage.ts";
import { unlikeIn } from "../store/ledger/source-ids.ts";
import { type Notice, warning } from "../../base/notice/notice.ts";
import type { Facts } from "../../base/sql/facts.ts";
import type { RunOutcome } from "./finish-run.ts";
import type { FetchPlan, SourceRun } from "./task.ts";
import type { Interval } from "../../base/time/periods.ts";

/** What is known of a source after its run. */
export type Aftermath = {
  readonly final: Interval | undefined;
  /** Intervals that left the scheduled range without being final. */
  readonly gaps: readonly Interval[];
  /** Closed windows that only wait for their next read. */
  readonly waiting: readonly Notice[];
  /** What somebody should act on, beside failures. */
  readonly warnings: readonly Notice[];
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
  const { waiting } = unfinalizedNotices(source.name, reading.unfinalized);
  const late = await lateWarning(connection, runId, source.name, final);
  const altered = await conflictWarning(connection, runId, source.name);
  const unlike = unlikeWarnings(await unlikeIn(connection, runId), source).map((text) =>
    warning("text", { text }),
  );
  const { missing } = await directoryNotes(connection, source.name);
  // Where a backfill was interrupted, one line says how to go on with all of it.
  const isGoneOn = world.signal.aborted && !isScheduledRun;
  const lacking = isGoneOn ? [] : readingWarnings(reading, source.window);
  const refused = unservedNotices(unserved, source.name);
  const warnings = [...refused, ...lacking, ...missing, ...late, ...altered, ...unlike];
  return { final, gaps, waiting, warnings };
}

function unservedNotices(unserved: readonly Interval[], source: string): Notice[] {
  return unserved.map(({ startMs, endMs }) => {
    const [from, to] = [secondText(startMs), secondText(endMs)];
    const command = ["ingest", "--source", source, "--from", from, "--to", to];
    return warning("window_unserved", { from, to }, command);
  });
}

// Now and then one request has records of one id; many are a sign of ids that name something else, or of an altered log.
async function conflictWarning(
  connection: DuckDBConnection,
  runId: string,
  source: string,
): Promise<Notice[]> {
  const { inserted, conflicts } = await conflictsIn(connection, runId, source);
  if (conflicts <= leastConflicts || conflicts <= inserted / 100) return [];
  return [warning("ids_conflict", { conflicts, events: inserted })];
}

const leastConflicts = 100;

// A service that selects by another time than that of the event brings late ones with windows that are not theirs.
async function lateWarning(
  connection: DuckDBConnection,
  runId: string,
  source: string,
  final: Interval | undefined,
): Promise<Notice[]> {
  if (final === undefined) return [];
  const found = await lateArrivalsIn(connection, runId, final);
  if (found === undefined) return [];
  const { events, firstMs, lastMs } = found;
  const [from, to] = [secondText(firstMs), secondText(lastMs)];
  return [warning("events_elsewhere", { events, from, to, source })];
}
