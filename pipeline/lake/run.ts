import { join } from "node:path";
import { makeFolder } from "../home/durable.ts";
import { type RunLock, takeLock } from "../home/lock.ts";
import type { Settings } from "../home/settings.ts";
import { lakeLimits } from "../store/limits.ts";
import { openPublished } from "../store/open.ts";
import type { World } from "../world.ts";
import { ingesterOf, lakeFolder, recordedFiles, recordFiles, stagingFolder } from "./home.ts";
import { openStore, probe } from "./open.ts";
import { type Outcome, publishLake } from "./publish.ts";
import type { Publisher } from "./publisher.ts";
import { lakeTables } from "./tables.ts";
import { type Verified, verifyLake } from "./verify.ts";

/** How a publish is asked for. */
export type PublishFlags = { readonly full?: true; readonly dryRun?: true };

/**
 * Brings the lake level with the published file, one publisher of a home at a time; the scheduled run may go on beside it.
 * Throws AuditlakeError, with exit code 5 where another one is at work.
 */
export async function publishToLake(
  settings: Settings,
  { full, dryRun }: PublishFlags,
  world: World,
  tables = lakeTables,
): Promise<Outcome> {
  return withLake(settings, "lake publish", world, async (lake) => {
    if (dryRun !== true) await probe(lake.store);
    return publishLake({
      ...lake,
      tables,
      isFull: full === true,
      isDryRun: dryRun === true,
      nowMs: world.now(),
      record: (files) => recordFiles(settings.home, files),
    });
  });
}

/** Compares what this home has put into the lake with its record and with the published file, file by file. */
export async function verifyOwn(settings: Settings, world: World): Promise<Verified[]> {
  return withLake(settings, "lake verify", world, async (lake) =>
    verifyLake({ ...lake, recorded: await recordedFiles(settings.home) }),
  );
}

type Lake = Pick<
  Publisher,
  "store" | "connection" | "connect" | "ingester" | "tables" | "folder" | "signal"
>;

/** Takes the lock of a home's publishes; throws AuditlakeError, with exit code 5, where another one has it. */
export async function publishLock(
  { home }: Settings,
  command: string,
  world: World,
): Promise<RunLock> {
  await makeFolder(lakeFolder(home));
  return takeLock(join(lakeFolder(home), "publish.lock"), command, world.now());
}

async function withLake<T>(
  settings: Settings,
  command: string,
  world: World,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const { home, config } = settings;
  await using store = await openStore(settings, world);
  await using database = await openPublished(home.published, lakeLimits(config));
  using _lock = await publishLock(settings, command, world);
  const ingester = await ingesterOf(home);
  await using staging = await stagingFolder(home);
  const { connection, connect } = database;
  const folder = staging.path;
  return await work({
    store,
    connection,
    connect,
    ingester,
    tables: lakeTables,
    folder,
    signal: world.signal,
  });
}
