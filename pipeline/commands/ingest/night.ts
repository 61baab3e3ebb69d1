import type { DuckDBConnection } from "@duckdb/node-api";
import { loadPending, type Resumed } from "../../run/landed.ts";
import { runWindows, type RunOutcome } from "../../run/nightly.ts";
import { newProgress } from "../../run/progress.ts";
import { newRun, newRunId, toTimestamp } from "../../run/totals.ts";
import type { Writer } from "../../run/writer.ts";
import type { NamedSource, Settings } from "../../settings.ts";
import type { Window } from "../../source/audits.ts";
import type { Client } from "../../source/client.ts";
import { clockCheck } from "../../source/clock.ts";
import { toolVersion } from "../../version.ts";
import { belatedIn, frontierOf, newestReadOf } from "../../warehouse/coverage.ts";
import type { RunRow } from "../../warehouse/ledger.ts";
import type { World } from "../../world.ts";
import { readingOf, totalsOf } from "../status/facts.ts";
import { missedRetention, readingWarnings } from "../status/warnings.ts";
import { plural } from "../text/amounts.ts";
import { secondText } from "../text/moment.ts";
import { secondReads } from "./doubts.ts";
import { type Due, dueOf } from "./plan.ts";
import { loadUsers } from "./users.ts";

/** What one night, or one backfill, came to. */
export type Ingested = {
  readonly due: Due;
  readonly isNightly: boolean;
  readonly outcome: RunOutcome;
  readonly resumed: Resumed;
  readonly usersError: string | undefined;
  readonly finalMs: number | undefined;
  /** What somebody should act on, beside failures. */
  readonly warnings: readonly string[];
};

/** Reads and loads what is due for a source, with the warehouse open; publishing is left to the caller. */
export async function ingestWindows(
  settings: Settings,
  source: NamedSource,
  backfill: Window | undefined,
  writer: Writer,
  client: Client,
  world: World,
): Promise<Ingested> {
  const { connection } = writer.database;
  const { progress: mode, quiet } = settings.flags;
  const nowMs = world.now();
  const isNightly = backfill === undefined;
  const blank = blankRun(source, isNightly, writer, nowMs, world);
  const pending = await loadPending(settings.home, blank, writer, world);
  const due = await dueOf(connection, source, backfill, nowMs);
  const second = secondReads(pending.inDoubt, source, due);
  const resumed = { ...pending, failures: [...pending.failures, ...second.failures] };
  const planned = [...due.planned, ...second.planned];
  const { startMs, endMs } = due.range;
  const run = { ...blank, rangeStart: toTimestamp(startMs), rangeEnd: toTimestamp(endMs) };
  if (quiet !== true) announce(due.range, isNightly, resumed.loaded, world);
  const newestReadMs = await newestReadOf(connection, source.name);
  const warn = (text: string): void => void world.stderr.write(`warning: ${text}\n`);
  second.warnings.forEach(warn);
  const checkClock = clockCheck(isNightly, newestReadMs, world.now, warn);
  const usersError = await loadUsers(client, settings, source, checkClock, writer, world);
  await warnOfLoss(connection, source, nowMs, world);
  const rangeStartMs = due.windows[0]?.startMs ?? startMs;
  const plan = {
    runId: run.runId,
    source,
    landing: settings.home.landing,
    nightly: isNightly,
    rangeStartMs,
    checkClock,
  };
  const progress = newProgress(mode, quiet === true, planned.length, "windows", world);
  try {
    const outcome = await runWindows(
      client,
      plan,
      planned,
      run,
      settings.home,
      writer,
      world,
      progress.update,
    );
    const { finalMs } = await frontierOf(connection, source.name);
    const reading = await readingOf(connection, source.name, source, world.now());
    const warnings = [
      ...readingWarnings(reading),
      ...(await belatedWarning(connection, run.runId, source.name, finalMs)),
    ];
    return { due, isNightly, outcome, resumed, usersError, finalMs, warnings };
  } finally {
    progress.end();
  }
}

function announce(range: Window, isNightly: boolean, loaded: number, world: World): void {
  if (loaded > 0)
    world.stderr.write(`loaded ${plural(loaded, "read")} that an earlier run had landed\n`);
  const why = isNightly ? "from the checkpoint and the look-back" : "as asked for";
  const [from, to] = [secondText(range.startMs), secondText(range.endMs)];
  world.stderr.write(`reading ${from} to ${to}, ${why}\n`);
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

// A service that selects by another time than that of the event brings late ones with windows that are not theirs.
async function belatedWarning(
  connection: DuckDBConnection,
  runId: string,
  source: string,
  finalMs: number | undefined,
): Promise<string[]> {
  if (finalMs === undefined) return [];
  const found = await belatedIn(connection, runId, finalMs);
  if (found === undefined) return [];
  const { events, firstMs, lastMs } = found;
  return [
    `${plural(events, "event")} of ${secondText(firstMs)} to ${secondText(lastMs)} came with other windows, in time that was final; the service may select by another time than that of the event: see audits.window_params of sources.${source}`,
  ];
}
