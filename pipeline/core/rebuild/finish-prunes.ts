import { formatCommand } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { existsSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { listCondemned, removeReads, type StoredFile } from "../landing/prunable-files.ts";
import { listTombstones, type Tombstone, writeTombstone } from "../landing/tombstones.ts";
import { readManifests } from "../landing/manifests.ts";
import { applyPrune, type RecordedPrune, listRecordedPrunes } from "../store/prune.ts";
import { listUndos } from "../landing/undos.ts";
import { undoRead } from "../load/undo-read.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { Writer } from "../writer/open.ts";

// The steps of a prune, safe to interrupt at any point: record it in the ledger, write its tombstone, remove its pages
// and manifests. The next run that opens the warehouse completes missing steps.

/**
 * Refuses to make a new, empty warehouse where there was one. The published file may be the last to hold some of the
 * events, and would be replaced by what the new one has. A first run that was killed has published nothing yet; what it
 * had landed is loaded into the new one.
 */
export function refuseEmptyStart({ warehouse, landing, published }: Home): void {
  if (existsSync(warehouse)) return;
  const reads = listTombstones(landing).reduce((sum, { reads: all }) => sum + all.length, 0);
  const from = existsSync(published)
    ? `takes their events from ${published}`
    : "rebuilds it from the stored pages, and lists the missing data";
  if (reads > 0)
    throw new AuditlakeError(
      `${warehouse} is missing, and landing no longer has the pages of ${reads} pruned reads; run ${formatCommand("rebuild")}, which ${from}`,
    );
  if (existsSync(published))
    throw new AuditlakeError(
      `${warehouse} is missing, and an empty one would replace ${published}; run ${formatCommand("rebuild")}, which rebuilds it from the stored pages and compares the two`,
    );
}

/**
 * Completes interrupted prunes, and records prunes that an older copy of the database does not know. Without
 * `hasPrunes`, the database has none. Returns whether files may contain pruned rows.
 */
export async function finishPrunes(
  { landing }: Home,
  connection: DuckDBConnection,
  hasPrunes = true,
): Promise<boolean> {
  const entered = hasPrunes ? await listRecordedPrunes(connection) : [];
  const before = listTombstones(landing).length;
  const tombstones = await recordPrunes(landing, entered);
  const missing = tombstones.filter(
    ({ prune_id: id }) => !entered.some(({ pruneId }) => pruneId === id),
  );
  for (const tombstone of missing) await applyPrune(connection, toRecordedPrune(tombstone));
  const left = listCondemned(landing, tombstones);
  if (left.length > 0) removeReads(landing, left);
  return missing.length + left.length > 0 || tombstones.length > before;
}

/** Writes tombstones for prunes of the ledger without one, for example after an interrupt; returns all tombstones. */
export async function recordPrunes(
  landing: string,
  entered: readonly RecordedPrune[],
): Promise<readonly Tombstone[]> {
  const tombstones = listTombstones(landing);
  for (const prune of entered)
    if (!tombstones.some((tombstone) => tombstone.prune_id === prune.pruneId))
      tombstones.push(await recordPrune(landing, prune));
  return tombstones;
}

/** Finishes a prune that the ledger has: writes its tombstone, removes its files; returns the files that went. */
export async function finishPrune(
  landing: string,
  prune: RecordedPrune,
): Promise<readonly StoredFile[]> {
  return removeReads(landing, listCondemned(landing, [await recordPrune(landing, prune)]));
}

async function recordPrune(landing: string, prune: RecordedPrune): Promise<Tombstone> {
  const ids = new Set(prune.readIds);
  const tombstone: Tombstone = {
    version: 1,
    prune_id: prune.pruneId,
    pruned_at: prune.prunedAt,
    before: prune.before,
    source: prune.source,
    with_events: prune.withEvents,
    ...(prune.keepsFolds ? { keeps_folds: true } : {}),
    events: prune.events,
    quarantined: prune.quarantined,
    reads: readManifests(landing).manifests.filter(({ read_id: id }) => ids.has(id)),
  };
  await writeTombstone(landing, tombstone);
  return tombstone;
}

/** Converts a tombstone to the prune that it records. */
export function toRecordedPrune(tombstone: Tombstone): RecordedPrune {
  return {
    pruneId: tombstone.prune_id,
    prunedAt: tombstone.pruned_at,
    before: tombstone.before,
    source: tombstone.source,
    withEvents: tombstone.with_events,
    keepsFolds: tombstone.keeps_folds === true,
    events: tombstone.events,
    quarantined: tombstone.quarantined,
    readIds: tombstone.reads.map(({ read_id: id }) => id),
  };
}

/**
 * Takes back the imports whose undo was landed and broke off, or that an older copy of the database has not seen. Returns
 * whether there were any.
 */
export async function finishUndos(home: Home, writer: Writer): Promise<boolean> {
  const undos = listUndos(home.landing);
  if (undos.length === 0) return false;
  const rows = await queryFile(writer.database.connection, "queries/undo/find.sql#ledger");
  const entered = new Set(rows.map((row) => String(row["read_id"])));
  const left = undos.filter(({ read_id: id }) => !entered.has(id));
  for (const undo of left) await undoRead(home, writer, undo);
  return left.length > 0;
}
