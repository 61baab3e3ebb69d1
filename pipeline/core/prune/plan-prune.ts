import { UsageError } from "../../base/errors.ts";
import { prunableFiles, type StoredFile } from "../landing/prunable-files.ts";
import { type Manifest, namedFiles, readManifests } from "../landing/manifests.ts";
import { lockState } from "../../base/home/lock.ts";
import { refuseReturning } from "./returning.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../store/limits.ts";
import { loadedReads } from "../store/ledger/record.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../../base/world.ts";
import { metReads } from "./old-reads.ts";
import type { PruneRequest } from "./request.ts";
import { oldTotals, type PruneScope } from "../store/prune.ts";

/** What a prune would do, from the published file and the landing folder; nothing is locked for it. */
export type PrunePlan = PruneScope & {
  readonly withEvents: boolean;
  readonly reads: readonly Manifest[];
  /** Landed reads that stay, those not loaded yet among them. */
  readonly kept: number;
  readonly pending: number;
  readonly stored: readonly StoredFile[];
  /** Pages of those reads that stay, because a kept read has them, too. */
  readonly shared: number;
  /** Pages of no read that stay, because manifests are set aside. */
  readonly heldBack: number;
  readonly events: number;
  readonly quarantined: number;
  /** Kept reads whose pages hold events of that time, too. */
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
  const { old, straddling } = await metReads(connection, scope, home.landing, own);
  const totals = await oldTotals(connection, scope, settings.config.lake !== undefined);
  if (withEvents) await guard(settings, scope, { connection, ...totals }, world);
  const loaded = await loadedReads(connection);
  const reads = own.filter(({ read_id: id }) => old.has(id));
  const gone = new Set(reads.map(({ read_id: id }) => id));
  const stored = storedOf(settings, reads, gone);
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
      `nothing of source ${source} was landed; there is ${known.join(", ") || "nothing at all"}`,
    );
}

function storedOf(
  { home }: Settings,
  reads: readonly Manifest[],
  gone: ReadonlySet<string>,
): Pick<PrunePlan, "stored" | "shared" | "heldBack"> {
  const named = namedFiles(reads);
  const { unneeded, heldBack } = prunableFiles(home.landing, gone);
  const own = unneeded.filter(({ name }) => named.has(name));
  // A run at work has files that no manifest names yet.
  const isQuiet = lockState(home.lock).state !== "held";
  return { stored: isQuiet ? unneeded : own, shared: named.size - own.length, heldBack };
}
