import { UsageError } from "../../base/errors.ts";
import { listPrunableFiles, type StoredFile } from "../landing/prunable-files.ts";
import { type Manifest, listNamedFiles, readManifests } from "../landing/manifests.ts";
import { lockState } from "../../base/home/lock.ts";
import { type Settings, getSourceSettings } from "../../base/home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { listLoadedReads } from "../store/ledger/record.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../../base/world.ts";
import {
  listOldReads,
  countOldRows,
  type PruneScope,
  readSources,
  listRepeatingFiles,
} from "../store/prune.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { fromTimestamp } from "../../base/time/text.ts";
import { readWatermark } from "../store/ledger/coverage.ts";
import { planScheduledRange, splitIntoWindows } from "../source/windows.ts";
import { PageDamage, readPage } from "../landing/store.ts";
import type { Interval } from "../../base/time/periods.ts";
import { readTimes } from "../records/event-times.ts";

/** What a prune would do, from the published file and the landing folder; nothing is locked for it. */
export type PrunePlan = PruneScope & {
  readonly withEvents: boolean;
  readonly reads: readonly Manifest[];
  /** Landed reads that stay, those not loaded yet among them. */
  readonly kept: number;
  readonly pending: number;
  readonly stored: readonly StoredFile[];
  /** Pages of pruned reads that a retained read shares. */
  readonly shared: number;
  /** Unreferenced pages that stay because manifests are moved aside. */
  readonly heldBack: number;
  readonly events: number;
  readonly quarantined: number;
  /** Retained reads whose pages also have events of that time. */
  readonly straddling: number;
};

/** Plans a prune; throws AuditlakeError for a source that is unknown, and for events that would come back or be lost. */
export async function planPrune(
  settings: Settings,
  { scope, withEvents, guard }: PruneRequest,
  world: World,
): Promise<PrunePlan> {
  const { home } = settings;
  await using published = await openPublished(home.published, readLimits(settings.config));
  const { connection } = published;
  const { manifests } = readManifests(home.landing);
  const own = manifests.filter(({ source }) => scope.source === null || source === scope.source);
  refuseUnknown(scope.source, manifests);
  if (withEvents) await refuseReturning(settings, scope, connection, world.now());
  const { old, straddling } = await listMetReads(connection, scope, home.landing, own);
  const totals = await countOldRows(connection, scope, settings.config.lake !== undefined);
  if (withEvents) await guard(settings, scope, { connection, ...totals }, world);
  const loaded = await listLoadedReads(connection);
  const reads = own.filter(({ read_id: id }) => old.has(id));
  const gone = new Set(reads.map(({ read_id: id }) => id));
  const stored = listStored(settings, reads, gone);
  return {
    ...scope,
    withEvents,
    reads,
    kept: own.length - reads.length,
    pending: own.filter(({ read_id: id }) => !loaded.has(id)).length,
    ...stored,
    events: totals.events,
    quarantined: totals.quarantined,
    straddling: own.filter(
      ({ read_id: id }) => (totals.readIds.has(id) || straddling.has(id)) && !gone.has(id),
    ).length,
  };
}

function refuseUnknown(source: string | null, manifests: readonly Manifest[]): void {
  const known = [...new Set(manifests.map((manifest) => manifest.source))].sort();
  if (source !== null && !known.includes(source))
    throw new UsageError(
      `no stored data of source ${source}; known sources: ${known.join(", ") || "none"}`,
    );
}

function listStored(
  { home }: Settings,
  reads: readonly Manifest[],
  gone: ReadonlySet<string>,
): Pick<PrunePlan, "stored" | "shared" | "heldBack"> {
  const named = listNamedFiles(reads);
  const { unneeded, heldBack } = listPrunableFiles(home.landing, gone);
  const own = unneeded.filter(({ name }) => named.has(name));
  // A running ingest has files that no manifest names yet.
  const isQuiet = lockState(home.lock).state !== "held";
  return { stored: isQuiet ? unneeded : own, shared: named.size - own.length, heldBack };
}

/** Throws AuditlakeError if events that the prune deletes would be lost. */
export type PruneGuard = (
  settings: Settings,
  scope: PruneScope,
  old: { readonly connection: DuckDBConnection; readonly quarantined: number },
  world: World,
) => Promise<void>;

/** What a prune removes: stored raw pages of a time, `withEvents` their events, too, if the guard allows it. */
export type PruneRequest = {
  readonly scope: PruneScope;
  readonly withEvents: boolean;
  readonly guard: PruneGuard;
};

/**
 * Throws UsageError where the next run reads some of that time again: that run would bring its events
 * back. Where the service takes no window, each read holds its whole log, however short the window.
 */
export async function refuseReturning(
  { config }: Settings,
  { before, source: wanted }: PruneScope,
  connection: DuckDBConnection,
  nowMs: number,
): Promise<void> {
  const beforeMs = fromTimestamp(before);
  for (const source of await readSources(connection, wanted)) {
    const { lookback, window: windowMs, audits } = getSourceSettings(source, config);
    if (audits.window_params === null)
      throw new UsageError(
        `the service of ${source} takes no window (sources.${source}.audits.window_params is null), so each ingest reads its complete log and the events would return; prune without --events`,
      );
    const { resumeMs } = await readWatermark(connection, source);
    const range = planScheduledRange(resumeMs, lookback, nowMs);
    const startMs = splitIntoWindows(range, windowMs)[0]?.startMs ?? range.startMs;
    if (beforeMs > startMs)
      throw new UsageError(
        `the next ingest of ${source} reads from ${new Date(startMs).toISOString()} on, so events after that would return; choose an earlier --before`,
      );
  }
}

/** The loaded reads that a prune meets: those older than its moment, and files with records on both sides of it. */
type MetReads = { readonly old: ReadonlySet<string>; readonly straddling: Set<string> };

/**
 * Finds the reads that are older than a moment. A file may contain events that other reads added: the stored pages of
 * such a read show how old it is.
 */
export async function listMetReads(
  connection: DuckDBConnection,
  scope: PruneScope,
  landing: string,
  manifests: readonly Manifest[],
): Promise<MetReads> {
  const old = await listOldReads(connection, scope);
  const repeating = await listRepeatingFiles(connection, scope);
  const straddling = new Set<string>();
  const beforeMs = fromTimestamp(scope.before);
  for (const manifest of manifests) {
    const { read_id: id } = manifest;
    if (old.has(id) || !repeating.has(id)) continue;
    const { startMs, endMs } = await computeSpan(landing, manifest);
    if (startMs <= endMs && endMs <= beforeMs) old.add(id);
    else if (startMs < beforeMs) straddling.add(id);
  }
  return { old, straddling };
}

// From the first to the last time of its records; Infinity for a read without times.
async function computeSpan(landing: string, manifest: Manifest): Promise<Interval> {
  let [startMs, endMs] = [Infinity, -Infinity];
  for (const page of manifest.pages) {
    for (const ms of await listTimes(landing, page, manifest.records_at)) {
      startMs = Math.min(startMs, ms);
      endMs = Math.max(endMs, ms);
    }
  }
  return { startMs, endMs };
}

async function listTimes(
  landing: string,
  page: Manifest["pages"][number],
  recordsAt: string | null,
): Promise<number[]> {
  try {
    const times = readTimes(await readPage(landing, page), page.format, recordsAt);
    // A record whose time is not seen here may be a young one.
    return times.map((ms) => ms ?? Infinity);
  } catch (error) {
    // The age of damaged pages is unknown: their read stays until a rebuild excludes it.
    if (error instanceof PageDamage) return [Infinity];
    throw error;
  }
}
