import { type Ended, type Manifest, manifestVersion } from "../landing/manifests.ts";
import type { LandedPage } from "../landing/store.ts";
import type { LandedRange, FetchPlan, FetchTask } from "./task.ts";
import { toTimestamp, nameStamp } from "../../base/time/text.ts";
import type { Interval } from "../../base/time/periods.ts";

/** How a range ended, as a manifest has it. */
export function partOf({ range, ending }: LandedRange): Ended["parts"][number] {
  return {
    start: toTimestamp(range.startMs),
    end: toTimestamp(range.endMs),
    records: ending.records,
    by: ending.by,
    total: ending.total ?? null,
    signs: [...ending.signs],
    last_page: ending.lastPage,
    smallest_followed: ending.smallestFollowed ?? null,
    followed: ending.isFollowed,
  };
}

/** What a fetch came to: when it was asked for, by both clocks, and what it gave. */
type Came = {
  readonly readAtMs: number;
  readonly serverTimeMs: number | undefined;
  readonly pages: readonly LandedPage[];
  readonly ended: Ended;
};

/** The manifest of a fetch that is landed. */
export function manifestOf(
  { runId, source, isScheduledRun, rangeStartMs }: FetchPlan,
  { window, round }: FetchTask,
  { readAtMs, serverTimeMs, pages, ended }: Came,
): Manifest {
  return {
    version: manifestVersion,
    read_id: readIdOf(runId, window, round, source.window),
    run_id: runId,
    command: "ingest",
    source: source.name,
    window_start: toTimestamp(window.startMs),
    window_end: toTimestamp(window.endMs),
    window_ms: source.window,
    read_at: toTimestamp(readAtMs),
    server_time: serverTimeMs === undefined ? null : toTimestamp(serverTimeMs),
    closed: window.endMs + source.grace_period <= Math.min(readAtMs, serverTimeMs ?? readAtMs),
    nightly: isScheduledRun,
    range_start: toTimestamp(rangeStartMs),
    records_at: source.audits.records_at,
    ...(source.audits.id_at === null ? {} : { id_at: source.audits.id_at }),
    max_record_bytes: source.limits.max_record_bytes,
    pages: [...pages],
    ended,
  };
}

/**
 * The name of a read. Reads of one run sort in the order they were done, also where the clock stood still. A part comes
 * after the whole, a later round after an earlier one.
 */
export function readIdOf(
  runId: string,
  { startMs, endMs }: Interval,
  round: number,
  windowMs: number,
): string {
  const start = nameStamp(startMs);
  const part = endMs - startMs === windowMs ? "" : `-${(endMs - startMs) / 1000}s`;
  return `${runId}-${start}${part}${round > 1 ? `-r${round}` : ""}`;
}
