import { join } from "node:path";
import { makeFolder } from "../durable.ts";
import { takeLock } from "../run/lock.ts";
import type { Settings } from "../settings.ts";
import { loadLimits } from "../warehouse/limits.ts";
import { openPublished } from "../warehouse/open.ts";
import type { World } from "../world.ts";
import { ingesterOf, lakeFolder, recordFiles, stagingFolder } from "./home.ts";
import { openStore, probe } from "./open.ts";
import { type Outcome, publishLake } from "./publish.ts";
import { lakeTables } from "./tables.ts";

/** How a publish is asked for. */
export type PublishFlags = { readonly full?: true; readonly dryRun?: true };

/**
 * Brings the lake level with the published file, one publisher of a home at a time; the night's run may go on beside it.
 * Throws AuditlakeError, with exit code 5 where another one is at work.
 */
export async function publishToLake(
  settings: Settings,
  { full, dryRun }: PublishFlags,
  world: World,
): Promise<Outcome> {
  const { home, config } = settings;
  await using store = await openStore(settings, world);
  await using database = await openPublished(home.published, loadLimits(config));
  await makeFolder(lakeFolder(home));
  using _lock = takeLock(join(lakeFolder(home), "publish.lock"), "lake publish", world.now());
  const ingester = await ingesterOf(home);
  await using staging = await stagingFolder(home);
  if (dryRun !== true) await probe(store);
  return await publishLake({
    store,
    connection: database.connection,
    ingester,
    tables: lakeTables,
    folder: staging.path,
    isFull: full === true,
    isDryRun: dryRun === true,
    nowMs: world.now(),
    signal: world.signal,
    record: (files) => recordFiles(home, files),
  });
}
