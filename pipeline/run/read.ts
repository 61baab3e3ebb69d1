import { writeManifest, type Manifest } from "../landing/manifests.ts";
import { landPage, readPage, type LandedPage } from "../landing/store.ts";
import type { NamedSource } from "../settings.ts";
import { timesOf } from "../page/times.ts";
import { readWindow, type AuditPage, type Window } from "../source/audits.ts";
import { LongBodyError } from "../http/body.ts";
import type { Client } from "../source/client.ts";
import type { ClockCheck } from "../source/clock.ts";
import type { ReadFacts } from "../warehouse/load.ts";
import type { World } from "../world.ts";
import type { PageBytes } from "./batch.ts";
import { toTimestamp } from "./totals.ts";

/** What all reads of one run have in common. */
export type ReadPlan = {
  readonly runId: string;
  readonly source: NamedSource;
  readonly landing: string;
  readonly nightly: boolean;
  /** Start of the run's first window, milliseconds. */
  readonly rangeStartMs: number;
  readonly checkClock: ClockCheck;
};

/** One read to do. */
export type ReadTask = {
  readonly window: Window;
  /** 1, or more where the window is read again in the same run. */
  readonly round: number;
  /** Whether it may be given up as too long, to be cut in time. */
  readonly mayBeCut: boolean;
};

/** What came of a read: it is on disk with its manifest, or there was more than one read may hold. */
export type Landing = { readonly manifest: Manifest } | { readonly tooLong: Beginning };

/** How a read began that was given up as too long. */
export type Beginning = {
  /** Digest of the first page's records; undefined where that page alone was too long. */
  readonly firstPage: string | undefined;
  /** Whether all records of that page lie in the window asked for. */
  readonly isInside: boolean;
};

/**
 * Reads one window from the service and lands every page before anything is loaded. The manifest it returns is
 * on disk: from here on the read survives a crash. Throws ClockError before anything is landed where this
 * machine's clock is wrong: what it says decides which read is the newest.
 */
export async function landWindow(
  client: Client,
  plan: ReadPlan,
  task: ReadTask,
  world: World,
): Promise<Landing> {
  const readAtMs = world.now();
  const maxPages = Math.max(
    1,
    Math.min(plan.source.limits.read_pages, plan.source.limits.max_pages - 1),
  );
  const pages: LandedPage[] = [];
  let serverTimeMs: number | undefined;
  let isChecked = false;
  let first: AuditPage | undefined;
  let bytes = 0;
  try {
    for await (const page of readWindow(client, plan.source, task.window)) {
      serverTimeMs ??= page.serverTimeMs;
      if (!isChecked) plan.checkClock(serverTimeMs);
      isChecked = true;
      if (page.records === 0) continue;
      const isFull = pages.length >= maxPages || bytes >= plan.source.limits.read_bytes;
      if (task.mayBeCut && isFull) return { tooLong: beginningOf(first, plan, task) };
      first ??= page;
      bytes += page.bytes.length;
      pages.push(await landPage(plan.landing, page.bytes, page.format));
    }
  } catch (error) {
    if (task.mayBeCut && error instanceof LongBodyError)
      return { tooLong: beginningOf(first, plan, task) };
    throw error;
  }
  const manifest = manifestOf(plan, task, readAtMs, serverTimeMs, pages);
  await writeManifest(plan.landing, manifest);
  return { manifest };
}

function beginningOf(
  page: AuditPage | undefined,
  { source }: ReadPlan,
  { window }: ReadTask,
): Beginning {
  if (page === undefined) return { firstPage: undefined, isInside: false };
  // Both edges count as inside: windows are asked for in whole seconds, and some services include the last one.
  const startMs = Math.floor(window.startMs / 1000) * 1000;
  const endMs = Math.ceil(window.endMs / 1000) * 1000;
  const times = timesOf(page.bytes, page.format, source.audits.records_at);
  const isInside = times.every((ms) => ms !== undefined && ms >= startMs && ms <= endMs);
  return { firstPage: page.digest, isInside };
}

function manifestOf(
  { runId, source, nightly, rangeStartMs }: ReadPlan,
  { window, round }: ReadTask,
  readAtMs: number,
  serverTimeMs: number | undefined,
  pages: LandedPage[],
): Manifest {
  return {
    version: 1,
    read_id: readIdOf(runId, window, round, source.window),
    run_id: runId,
    command: "ingest",
    source: source.name,
    window_start: toTimestamp(window.startMs),
    window_end: toTimestamp(window.endMs),
    window_ms: source.window,
    read_at: toTimestamp(readAtMs),
    server_time: serverTimeMs === undefined ? null : toTimestamp(serverTimeMs),
    closed: window.endMs + source.grace_period <= (serverTimeMs ?? readAtMs),
    nightly,
    range_start: toTimestamp(rangeStartMs),
    records_at: source.audits.records_at,
    max_record_bytes: source.limits.max_record_bytes,
    pages,
  };
}

// Reads of one run sort in the order they were done, also where the clock stood still: a part after the whole,
// a later round after an earlier one.
function readIdOf(
  runId: string,
  { startMs, endMs }: Window,
  round: number,
  windowMs: number,
): string {
  const start = new Date(startMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const part = endMs - startMs === windowMs ? "" : `-${(endMs - startMs) / 1000}s`;
  return `${runId}-${start}${part}${round > 1 ? `-r${round}` : ""}`;
}

/** The read that a manifest describes. */
export function factsOf(manifest: Manifest): ReadFacts {
  return {
    readId: manifest.read_id,
    runId: manifest.run_id,
    source: manifest.source,
    windowStart: manifest.window_start,
    windowEnd: manifest.window_end,
    windowMs: manifest.window_ms,
    seenAt: manifest.read_at,
  };
}

/** The landed pages of a manifest, one after the other. */
export async function* pagesOf(landing: string, manifest: Manifest): AsyncGenerator<PageBytes> {
  for (const page of manifest.pages) yield { page, bytes: await readPage(landing, page) };
}
