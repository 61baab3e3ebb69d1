import { formatCommand } from "../../base/command-line.ts";
import { join } from "node:path";
import { AuditlakeError } from "../../base/errors.ts";
import type { StoredFile } from "../landing/prunable-files.ts";
import { readManifests } from "../landing/manifests.ts";
import type { Settings } from "../../base/home/settings.ts";
import { attachOld, copyWithout } from "../store/carry.ts";
import { listLoadedReads, newRunId } from "../store/ledger/record.ts";
import {
  applyPrune,
  countOldRows,
  type OldTotals,
  type PruneScope,
  type RecordedPrune,
  recordPrune,
} from "../store/prune.ts";
import { runInterruptibly } from "../../base/sql/transaction.ts";
import type { World } from "../../base/world.ts";
import { finishPrune, finishPrunes, refuseEmptyStart } from "../rebuild/finish-prunes.ts";
import { replaceWarehouse } from "../rebuild/restore.ts";
import { listMetReads, type PruneRequest, refuseReturning } from "./plan-prune.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { openWriter, type Writer } from "../writer/open.ts";
import { publishWarehouse, withLock, runWithWriter } from "../session/write.ts";
import { printer } from "../../base/notice/printer.ts";
import { rmSync } from "node:fs";
import { syncFolder } from "../../base/home/durable.ts";
import type { OldStore } from "../../base/home/layout.ts";

export type PruneResult = {
  readonly reads: number;
  readonly events: number;
  readonly stored: readonly StoredFile[];
};

/**
 * Prunes the loaded reads of `allowed` older than the scope. With events, the database file is rewritten without the
 * events of that time. Runs under the run lock; publishes at the end.
 */
export async function carryOutPrune(
  settings: Settings,
  request: PruneRequest,
  allowed: ReadonlySet<string>,
  world: World,
): Promise<PruneResult> {
  const { home } = settings;
  const { scope, withEvents } = request;
  return withLock(settings, world, "prune", async () => {
    refuseEmptyStart(home);
    if (withEvents) {
      // A lake is compared with the copy, which has to show the present database.
      if (settings.config.lake !== undefined)
        await runWithWriter(settings, world, async () => undefined);
      const prune = await rewriteStore(settings, request, allowed, world);
      // Files that hold pruned rows go first: a run that finds the prune unfinished removes them, too.
      await publishWarehouse(settings, world, "changed");
      const stored = await finishPrune(home.landing, prune);
      return { reads: prune.readIds.length, events: prune.events, stored };
    }
    return runWithWriter(settings, world, async (writer) => {
      const prune = await newPrune(writer, { scope, allowed }, settings, world);
      await applyPrune(writer.database.connection, prune);
      const stored = await finishPrune(home.landing, prune);
      return { reads: prune.readIds.length, events: 0, stored };
    });
  });
}

// The reads that go, and the totals of the events that go with them.
type PruneTask = {
  readonly scope: PruneScope;
  readonly allowed: ReadonlySet<string>;
  readonly gone?: OldTotals;
};

async function newPrune(
  { database }: Writer,
  { scope, allowed, gone }: PruneTask,
  { home, config }: Settings,
  world: World,
): Promise<RecordedPrune> {
  const { manifests } = readManifests(home.landing);
  const { old } = await listMetReads(database.connection, scope, home.landing, manifests);
  const readIds = manifests
    .map(({ read_id: id }) => id)
    .filter((id) => old.has(id) && allowed.has(id));
  const nowMs = world.now();
  const pruneId = newRunId(nowMs, world.random);
  const prunedAt = toTimestamp(nowMs);
  const { events, quarantined } = gone ?? { events: 0, quarantined: 0 };
  const withEvents = gone !== undefined;
  const keepsFolds = withEvents && config.lake !== undefined;
  return { ...scope, pruneId, prunedAt, withEvents, keepsFolds, readIds, events, quarantined };
}

// The new file has the prune in its ledger and takes the place of the old one by a rename. Either all of it happened,
// or nothing.
async function rewriteStore(
  settings: Settings,
  request: PruneRequest,
  allowed: ReadonlySet<string>,
  world: World,
): Promise<RecordedPrune> {
  const { home } = settings;
  const newPath = join(home.staging, "pruned.duckdb");
  const prune = await surveyPrune(settings, request, allowed, world);
  const writer = await openWriter(settings, newPath, world);
  {
    await using database = writer.database;
    const { connection } = database;
    await using _old = await attachOld(connection, home.warehouse);
    await runInterruptibly(connection, world.signal, "interrupted: nothing was pruned", () =>
      copyWithout(connection, request.scope, prune.keepsFolds),
    );
    await recordPrune(connection, prune);
    await connection.run("checkpoint");
  }
  const printing = { nowMs: world.now(), print: printer(world) };
  await replaceWarehouse(home.warehouse, newPath, [], printing);
  return prune;
}

async function surveyPrune(
  settings: Settings,
  { scope, guard }: PruneRequest,
  allowed: ReadonlySet<string>,
  world: World,
): Promise<RecordedPrune> {
  const writer = await openWriter(settings, settings.home.warehouse, world);
  await using database = writer.database;
  const { connection } = database;
  await finishPrunes(settings.home, connection);
  await refusePending(settings, writer);
  await refuseReturning(settings, scope, connection, world.now());
  const totals = await countOldRows(connection, scope, settings.config.lake !== undefined);
  await guard(settings, scope, { connection, ...totals }, world);
  const prune = await newPrune(writer, { scope, allowed, gone: totals }, settings, world);
  await connection.run("checkpoint");
  return prune;
}

// Loaded later, they would bring events of that time back.
async function refusePending({ home }: Settings, { database }: Writer): Promise<void> {
  const loaded = await listLoadedReads(database.connection);
  const { manifests } = readManifests(home.landing);
  const pending = manifests.filter(({ read_id: id }) => !loaded.has(id)).length;
  if (pending > 0)
    throw new AuditlakeError(
      `nothing was removed: ${pending} landed reads are not loaded yet and would restore events; run ${formatCommand("ingest")} first`,
    );
}

/** Removes databases of earlier versions, under the run lock. */
export async function removeOldStores(
  settings: Settings,
  stores: readonly OldStore[],
  world: World,
): Promise<void> {
  await withLock(settings, world, "prune", async () => {
    for (const { path } of stores) rmSync(path, { force: true });
    await syncFolder(settings.home.root);
  });
}
