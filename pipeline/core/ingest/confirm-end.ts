import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { Interval } from "../../base/time/periods.ts";
import { nameStamp, toTimestamp } from "../../base/time/text.ts";
import { type ReadEnd, type Manifest, manifestVersion } from "../landing/manifests.ts";
import type { LandedPage } from "../landing/store.ts";
import { listEvidence } from "../load/verdict.ts";
import { readTimes } from "../records/event-times.ts";
import { askOnce, type AuditPage } from "../source/audits.ts";
import type { Client } from "../source/client.ts";
import { type Ending, describeForm } from "../source/ending.ts";
import type { OpenedPage } from "../source/open-page.ts";
import { findFirstPosition, findNextPosition, getStyle } from "../source/paging.ts";
import type { Confirmable, Traits } from "../store/ledger/coverage.ts";
import type { Fetch } from "./fetch.ts";
import type { Plan } from "./plan.ts";

/** One range, requested from its first page to its last. */
export type LandedRange = {
  readonly range: Interval;
  readonly ending: Ending;
  /** Whether all records that show a time lie in the range, edges included. */
  readonly isInside: boolean;
};

/**
 * Returns the source with half the page size if that gives evidence. While the source has never offered a next page, a
 * missing next page shows nothing; a smaller page makes it offer one.
 */
export function withHalfPages(
  { source, traits }: Plan,
  confirming: Confirmable | undefined,
): NamedSource {
  const { paging } = source.audits;
  if (!asksForHalf(source, traits, confirming)) return source;
  const size = Math.floor(confirming!.records / 2);
  return { ...source, audits: { ...source.audits, paging: { ...paging, size } } };
}

function asksForHalf(
  { audits: { paging } }: NamedSource,
  { isNextSeen, isHalfAsked }: Traits,
  confirming: Confirmable | undefined,
): boolean {
  const goesByName = getStyle(paging).goesBy === "name";
  const records = confirming?.records ?? 0;
  return goesByName && paging.size_param !== null && !isNextSeen && !isHalfAsked && records > 1;
}

/**
 * Returns how a fetch ended, as recorded in its manifest. Without other evidence of the end, requests a longer range.
 */
export async function confirmEnd(
  client: Client,
  plan: Plan,
  { window, confirming }: Fetch,
  ranges: readonly LandedRange[],
): Promise<ReadEnd> {
  const { source, traits } = plan;
  const isWhole = ranges.length === 1;
  const { window_params: takesWindow } = source.audits;
  const ignored = source.audits.ignore_signs.filter((sign) => sign === "unreadable");
  const { paging } = (isWhole ? withHalfPages(plan, confirming) : source).audits;
  const ended = {
    form: describeForm(source.audits),
    size: paging.size_param === null || getStyle(paging).goesBy === "nothing" ? null : paging.size,
    whole: paging.whole,
    retention_ms: source.retention ?? null,
    half_asked: isWhole && asksForHalf(source, traits, confirming),
    longer: false,
    ...(ignored.length > 0 ? { ignored } : {}),
    parts: ranges.map(toPart),
  };
  const isOpen = confirming !== undefined && isWhole && takesWindow !== null;
  if (!isOpen || listEvidence(ended, traits).length > 0) return ended;
  return {
    ...ended,
    longer: await doesLongerGiveMore(client, source, window, ended.parts[0]!.records),
  };
}

// Checks with one request over a longer range that the answer for a window was not cut off. The longer answer must
// contain more records, including all of the window, or offer a next page where the first answer did not. A range that
// cannot be requested shows nothing.
async function doesLongerGiveMore(
  client: Client,
  source: NamedSource,
  { startMs, endMs }: Interval,
  records: number,
): Promise<boolean> {
  const lengthMs = endMs - startMs;
  const around = [
    { startMs: startMs - lengthMs, endMs },
    { startMs, endMs: endMs + lengthMs },
  ];
  for (const range of around) {
    const page = await askOnce(client, source, range).catch(ignoreFault);
    if (page === undefined) continue;
    if (page.records > 0 && hasNextPage(source, page)) return true;
    const own = listTimes(page, source).filter((ms) =>
      isWithinRange([ms ?? -1], { startMs, endMs }),
    );
    if (page.records > records && own.length >= records) return true;
  }
  return records > 0 && isEndServedAlone(client, source, { startMs, endMs });
}

function hasNextPage({ audits: { paging } }: NamedSource, page: OpenedPage): boolean {
  if (getStyle(paging).goesBy !== "name") return false;
  return findNextPosition(paging, findFirstPosition(paging), page) !== undefined;
}

// Some services include the end of a range. If only that second had records, the range without it shows that the window
// is empty.
async function isEndServedAlone(
  client: Client,
  source: NamedSource,
  { startMs, endMs }: Interval,
): Promise<boolean> {
  const page = await askOnce(client, source, { startMs, endMs }).catch(ignoreFault);
  if (page === undefined || page.records === 0) return false;
  if (listTimes(page, source).some((ms) => ms === undefined || ms < endMs)) return false;
  const before = { startMs, endMs: endMs - 1000 };
  return (await askOnce(client, source, before).catch(ignoreFault))?.records === 0;
}

function ignoreFault(error: unknown): undefined {
  if (error instanceof AuditlakeError && error.exitCode !== exitCode.refused) return undefined;
  throw error;
}

// How a range ended, as a manifest has it.
function toPart({ range, ending }: LandedRange): ReadEnd["parts"][number] {
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

/** Result of a fetch: when it was requested, by both clocks, and what it returned. */
type ReceivedRead = {
  readonly readAtMs: number;
  readonly serverTimeMs: number | undefined;
  readonly pages: readonly LandedPage[];
  readonly ended: ReadEnd;
};

export function buildManifest(
  { runId, source, isScheduledRun, rangeStartMs }: Plan,
  { window, round }: Fetch,
  { readAtMs, serverTimeMs, pages, ended }: ReceivedRead,
): Manifest {
  return {
    version: manifestVersion,
    read_id: buildReadId(runId, window, round, source.window),
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
export function buildReadId(
  runId: string,
  { startMs, endMs }: Interval,
  round: number,
  windowMs: number,
): string {
  const start = nameStamp(startMs);
  const part = endMs - startMs === windowMs ? "" : `-${(endMs - startMs) / 1000}s`;
  return `${runId}-${start}${part}${round > 1 ? `-r${round}` : ""}`;
}

/** Whether the times that are known lie in a range; both edges count, since some services include the last second. */
export function isWithinRange(times: readonly (number | undefined)[], range: Interval): boolean {
  const { startMs, endMs } = roundToSeconds(range);
  return times.every((ms) => ms === undefined || (ms >= startMs && ms <= endMs));
}

/** The times of the records on a page, as far as they show one. */
export function listTimes(
  { bytes, format }: Pick<AuditPage, "bytes" | "format">,
  { audits }: NamedSource,
): (number | undefined)[] {
  return readTimes(bytes, format, audits.records_at);
}

function roundToSeconds({ startMs, endMs }: Interval): Interval {
  return { startMs: Math.floor(startMs / 1000) * 1000, endMs: Math.ceil(endMs / 1000) * 1000 };
}
