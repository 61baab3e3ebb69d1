import type { DuckDBConnection } from "@duckdb/node-api";
import { existsSync } from "node:fs";
import { UsageError } from "../../base/errors.ts";
import { dueWindows } from "./due-windows.ts";
import { planFetches, type PlannedFetch } from "./plan-fetches.ts";
import { scheduledRange } from "../source/windows.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { parseMoment } from "../../base/time/times.ts";
import { readLimits } from "../store/limits.ts";
import { watermarkOf, heldIntervals } from "../store/ledger/coverage.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../../base/world.ts";
import { secondText } from "../../base/time/text.ts";
import type { Interval } from "../../base/time/periods.ts";

/** What a run is to read. */
export type Due = {
  readonly range: Interval;
  /** The range in whole windows. */
  readonly windows: readonly Interval[];
  readonly planned: readonly PlannedFetch[];
  /** Whether no scheduled run has stored anything yet. */
  readonly isFirst: boolean;
};

/** The range of a backfill; undefined for a scheduled run. Throws UsageError on one that is none. */
export function backfillRange(
  { from, to }: { readonly from?: string; readonly to?: string },
  nowMs: number,
): Interval | undefined {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined)
    throw new UsageError("--to needs --from; a run without a range continues from the checkpoint");
  const startMs = parseMoment(from, nowMs);
  const endMs = to === undefined ? nowMs : parseMoment(to, nowMs);
  if (startMs >= endMs) throw new UsageError(`--from ${from} is not before --to ${to ?? "now"}`);
  return { startMs, endMs };
}

/** What is due for a source, as far as a database knows; without one, a first run. */
export async function dueOf(
  connection: DuckDBConnection | undefined,
  source: NamedSource,
  backfill: Interval | undefined,
  nowMs: number,
): Promise<Due> {
  const watermark = connection && (await watermarkOf(connection, source.name));
  const range = backfill ?? scheduledRange(watermark?.resumeMs, source.lookback, nowMs);
  const windows = dueWindows(range, source);
  // The window before the first one shows how the first is best split.
  const fromMs = (windows[0]?.startMs ?? range.startMs) - source.window;
  const toMs = windows.at(-1)?.endMs ?? range.endMs;
  const held = connection ? await heldIntervals(connection, source.name, fromMs, toMs) : [];
  const isFirst = watermark?.resumeMs === undefined;
  return { range, windows, planned: planFetches(range, source.window, held), isFirst };
}

/** Prints what a run would read, one line each; of several sources with the name of each. */
export async function printPlan(
  settings: Settings,
  sources: readonly NamedSource[],
  backfill: Interval | undefined,
  world: World,
): Promise<void> {
  for (const source of sources) {
    const due = (connection?: DuckDBConnection): Promise<Due> =>
      dueOf(connection, source, backfill, world.now());
    const { planned } = await onPublished(settings, due);
    const name = sources.length === 1 ? "" : `\t${source.name}`;
    for (const { startMs, endMs } of planned)
      world.stdout.write(`${secondText(startMs)}\t${secondText(endMs)}${name}\n`);
  }
}

async function onPublished<T>(
  { home, config }: Settings,
  ask: (connection?: DuckDBConnection) => Promise<T>,
): Promise<T> {
  if (!existsSync(home.published)) return ask();
  await using database = await openPublished(home.published, readLimits(config));
  return await ask(database.connection);
}
