import { type Notice } from "../../base/notice/notice.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { existsSync } from "node:fs";
import { UsageError } from "../../base/errors.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { countText, formatDuration } from "../../base/terminal/amounts.ts";
import { type Interval, isStorable } from "../../base/time/periods.ts";
import { fromTimestamp, formatSecond } from "../../base/time/text.ts";
import { parseMoment } from "../../base/time/times.ts";
import type { World } from "../../base/world.ts";
import type { Manifest } from "../landing/manifests.ts";
import { buildAmbiguityNotice } from "../load/pending-reads.ts";
import type { PageCache } from "../load/loader.ts";
import type { Client } from "../source/client.ts";
import type { ClockCheck } from "../source/clock.ts";
import { planScheduledRange, splitIntoWindows } from "../source/windows.ts";
import { listCoveredIntervals, type Traits, readWatermark } from "../store/ledger/coverage.ts";
import { readLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import type { Writer } from "../writer/open.ts";
import { planFetches, type PlannedFetch } from "./plan-fetches.ts";

/** The run of one source: what is read, with which client and writer. */
export type SourceRun = {
  readonly settings: Settings;
  readonly source: NamedSource;
  /** The requested range; undefined for a scheduled run. */
  readonly backfill: Interval | undefined;
  readonly writer: Writer;
  readonly client: Client;
  readonly world: World;
};

export type DueRange = {
  readonly range: Interval;
  /** The range in whole windows. */
  readonly windows: readonly Interval[];
  readonly planned: readonly PlannedFetch[];
  /** Whether no scheduled run has stored anything yet. */
  readonly isFirst: boolean;
};

/** What a run reads, and what all its fetches have in common. */
export type Plan = DueRange & {
  readonly runId: string;
  readonly source: NamedSource;
  readonly landing: string;
  readonly isScheduledRun: boolean;
  /** Start of the run's first window, milliseconds. */
  readonly rangeStartMs: number;
  readonly checkClock: ClockCheck;
  /** Windows that begin before this leave the scheduled range: they are confirmed in the same run. */
  readonly leavesBeforeMs: number;
  /** Pages that are landed, until their fetch is loaded. */
  readonly held: PageCache;
  /** Traits of the source so far; updated as fetches are loaded. */
  traits: Traits;
};

/** Returns the range of a backfill; undefined for a scheduled run. Throws UsageError on an invalid range. */
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

/** Plans the pending range of a source from the database; without one, of a first run. */
export async function planDueRange(
  connection: DuckDBConnection | undefined,
  source: NamedSource,
  backfill: Interval | undefined,
  nowMs: number,
): Promise<DueRange> {
  const watermark = connection && (await readWatermark(connection, source.name));
  const range = backfill ?? planScheduledRange(watermark?.resumeMs, source.lookback, nowMs);
  const windows = splitDueWindows(range, source);
  // The window before the first one shows how the first is best split.
  const fromMs = (windows[0]?.startMs ?? range.startMs) - source.window;
  const toMs = windows.at(-1)?.endMs ?? range.endMs;
  const held = connection ? await listCoveredIntervals(connection, source.name, fromMs, toMs) : [];
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
    const planDue = (connection?: DuckDBConnection): Promise<DueRange> =>
      planDueRange(connection, source, backfill, world.now());
    const { planned } = await askPublished(settings, planDue);
    const name = sources.length === 1 ? "" : `\t${source.name}`;
    for (const { startMs, endMs } of planned)
      world.stdout.write(`${formatSecond(startMs)}\t${formatSecond(endMs)}${name}\n`);
  }
}

async function askPublished<T>(
  { home, config }: Settings,
  ask: (connection?: DuckDBConnection) => Promise<T>,
): Promise<T> {
  if (!existsSync(home.published)) return ask();
  await using database = await openPublished(home.published, readLimits(config));
  return await ask(database.connection);
}

// They are planned all at once, in memory; a look-back of two days in seconds is 172,800.
const mostWindows = 250_000;

/**
 * The windows of a source that cover a range. Throws UsageError where one reaches beyond the times that can be stored,
 * and where there are more than can be planned at once.
 */
export function splitDueWindows(
  range: Interval,
  { name, window: windowMs }: NamedSource,
): Interval[] {
  const startMs = Math.floor(range.startMs / windowMs) * windowMs;
  const count = Math.max(0, Math.ceil((range.endMs - startMs) / windowMs));
  const whole = { startMs, endMs: startMs + count * windowMs };
  if (!isStorable(whole))
    throw new UsageError(
      `${formatRange(range)} of source ${name} in windows of ${formatDuration(windowMs / 1000)} is ${formatRange(whole)}; expected years from 0 to 9999; choose a shorter range`,
    );
  if (count > mostWindows)
    throw new UsageError(
      `${formatRange(range)} of source ${name} is ${countText(count)} windows of ${formatDuration(windowMs / 1000)}, expected ${countText(mostWindows)} at most; set a longer sources.${name}.window, or choose a shorter range`,
    );
  return splitIntoWindows(range, windowMs);
}

const formatRange = ({ startMs, endMs }: Interval): string =>
  `${formatSecond(startMs)} to ${formatSecond(endMs)}`;

/** What a run does about windows with ambiguous reads of an earlier run. */
export type SecondFetches = {
  /** Windows that it reads besides the pending ones. */
  readonly planned: readonly PlannedFetch[];
  /** What to print first: it would be lost if the run is killed. */
  readonly warnings: readonly Notice[];
  /** Windows of other sources, which it cannot read. */
  readonly failures: readonly Notice[];
};

/** What the run of one source leaves to those after it. */
export type AcrossSources = {
  readonly ambiguous: Manifest[];
  /** Sources that are still to be read. */
  readonly coming: Set<string>;
};

/** Plans second fetches that are not scheduled anyway; later sources plan their own. */
export function planSecondFetches(
  found: readonly Manifest[],
  source: NamedSource,
  { windows }: DueRange,
  across: AcrossSources,
): SecondFetches {
  const ambiguous = [
    ...across.ambiguous,
    ...found.filter((each) => !across.coming.has(each.source)),
  ];
  across.ambiguous.push(...found.filter((each) => across.coming.has(each.source)));
  const [startMs, endMs] = [windows[0]?.startMs ?? Infinity, windows.at(-1)?.endMs ?? -Infinity];
  const own = ambiguous
    .filter((manifest) => manifest.source === source.name)
    .map((manifest) => ({ manifest, window: toPlannedFetch(manifest) }))
    .filter(({ window }) => window.startMs < startMs || window.endMs > endMs);
  // A window of a scheduled run is not finalized, so the next run of that source reads it again.
  const others = found.filter(
    ({ source: of, nightly: isScheduledRun }) =>
      of !== source.name && !isScheduledRun && !across.coming.has(of),
  );
  return {
    planned: own.map(({ window }) => window),
    warnings: own.map(({ manifest }) => buildAmbiguityNotice(manifest, true)),
    failures: others.map((manifest) => ({ ...buildAmbiguityNotice(manifest), level: "error" })),
  };
}

function toPlannedFetch({ window_start: start, window_end: end }: Manifest): PlannedFetch {
  const [startMs, endMs] = [start!, end!].map(fromTimestamp);
  return { startMs: startMs!, endMs: endMs!, splitsMs: [] };
}
