import { type Notice } from "../../base/notice/notice.ts";
import { join } from "node:path";
import { makeFolder } from "../../base/home/durable.ts";
import type { Home } from "../../base/home/layout.ts";
import { lockState, type RunLock, takeLock } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import { computeLakeLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { World } from "../../base/world.ts";
import {
  readIngester,
  getLakeFolder,
  readRecordedFiles,
  recordFiles,
  openStagingFolder,
} from "./home.ts";
import { openStore, probeStore } from "./open.ts";
import { findNewestPublication } from "./publication.ts";
import { type Outcome, publishLake } from "./publish.ts";
import type { Publisher } from "./publisher.ts";
import { type LakeTable, lakeTables } from "./tables.ts";
import { type VerifiedTable, verifyLake } from "./verify.ts";

export type PublishFlags = { readonly full?: true; readonly dryRun?: true };

/** The published tables (default all), and where warnings are printed. */
export type PublishOptions = {
  readonly tables?: readonly LakeTable[];
  readonly warn?: (notice: Notice) => void;
};

/**
 * Updates the lake from the published file, with one publisher of a home at a time; a scheduled run may continue
 * meanwhile. A dry run only reads, also while another publisher is active. Throws AuditlakeError, with exit code 5 if
 * another publisher is active.
 */
export async function publishToLake(
  settings: Settings,
  { full, dryRun }: PublishFlags,
  world: World,
  { tables = lakeTables, warn = () => undefined }: PublishOptions = {},
): Promise<Outcome> {
  const { home } = settings;
  const recorded =
    full === true ? await readRecordedFiles(settings.home) : new Map<string, string>();
  const how = { isFull: full === true, recorded, nowMs: world.now(), tables, warn };
  const recordPut: Publisher["record"] = (files) => recordFiles(home, files);
  return withLake(settings, world, async (lake) => {
    if (dryRun === true)
      return publishLake({
        ...lake,
        ...how,
        isDryRun: true,
        record: recordPut,
        folder: getLakeFolder(home),
      });
    using _lock = await takeLakeLock(settings, "publish", "lake publish", world);
    await using staging = await openStagingFolder(home, "staging");
    await probeStore(lake.store);
    return await publishLake({
      ...lake,
      ...how,
      isDryRun: false,
      record: recordPut,
      folder: staging.path,
    });
  });
}

export type LakeCheck = {
  readonly tables: readonly VerifiedTable[];
  /** A publish of this home was going on: tables that it has not come to yet differ. */
  readonly isMoving: boolean;
};

/**
 * Compares this home's files in the lake with its record and with the published file. A publish may run meanwhile.
 * Throws AuditlakeError, with exit code 5 if another comparison is active.
 */
export async function verifyOwn(settings: Settings, world: World): Promise<LakeCheck> {
  const { home } = settings;
  // Read before the database is opened, so that the database is at least as new as the record.
  const recorded = await readRecordedFiles(home);
  return withLake(settings, world, async (lake) => {
    using _lock = await takeLakeLock(settings, "verify", "lake verify", world);
    await using own = await openStagingFolder(home, "verified");
    const before = await findNewestPublication(lake.store);
    const wasHeld = isPublishing(home);
    const tables = await verifyLake({ ...lake, recorded, folder: own.path });
    const after = await findNewestPublication(lake.store);
    const isMoving = wasHeld || isPublishing(home) || after?.publication !== before?.publication;
    return { tables, isMoving };
  });
}

function isPublishing(home: Home): boolean {
  return lockState(lockPath(home, "publish")).state === "held";
}

type Lake = Pick<Publisher, "store" | "connection" | "connect" | "ingester" | "tables" | "signal">;

/** Takes a lock of a home's lake; throws AuditlakeError, with exit code 5, where another one has it. */
export async function takeLakeLock(
  { home }: Settings,
  name: "publish" | "verify",
  command: string,
  world: World,
): Promise<RunLock> {
  await makeFolder(getLakeFolder(home));
  return takeLock(lockPath(home, name), command, world.now());
}

function lockPath(home: Home, name: "publish" | "verify"): string {
  return join(getLakeFolder(home), `${name}.lock`);
}

async function withLake<T>(
  settings: Settings,
  world: World,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const { home, config } = settings;
  await using store = await openStore(settings, world);
  await using database = await openPublished(home.published, computeLakeLimits(config));
  const ingester = await readIngester(home);
  const { connection, connect } = database;
  return await work({
    store,
    connection,
    connect,
    ingester,
    tables: lakeTables,
    signal: world.signal,
  });
}
