import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import { isAbandoned } from "../../base/home/drafts.ts";
import { createHome, type Home } from "../../base/home/layout.ts";
import { lockState, type RunLock, takeLock } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import { notify, warning } from "../../base/notice/notice.ts";
import type { World } from "../../base/world.ts";
import { openEvidence } from "../evidence/session.ts";
import { sweepLanding } from "../landing/sweep.ts";
import { chooseTextLimit } from "../query-texts/read-due.ts";
import { finishPrunes, finishUndos, refuseEmptyStart } from "../rebuild/finish-prunes.ts";
import { bringDeliveryRuns } from "../store/delivery-runs.ts";
import { endAbandoned } from "../store/ledger/record.ts";
import type { Change } from "../store/publish.ts";
import { removeDatabase } from "../store/wal.ts";
import { describeBrokenExtra } from "../writer/catalog.ts";
import type { Writer } from "../writer/open.ts";
import { openOwn } from "./open-own.ts";
import { closeAndPublish } from "./publish-run.ts";

/**
 * Locks the home, opens and migrates the warehouse, and lets `work` write. Then closes it and publishes the copy for
 * readers, even if the work failed: committed data becomes visible. If publishing fails after successful work, the
 * error has the exit code for partial success. `work` may resolve to its own exit code.
 */
export async function withWriter<T>(
  settings: Settings,
  world: World,
  command: string,
  work: (writer: Writer) => Promise<T>,
  change: Change = "changed",
): Promise<T> {
  return withLock(settings, world, command, () => runWithWriter(settings, world, work, change));
}

/**
 * The same under a lock that the caller holds. An identical published file stays; `rewritten` compares every byte and
 * replaces a damaged file. `grown` is work that only adds rows, `noted` the same without later steps.
 */
export async function runWithWriter<T>(
  settings: Settings,
  world: World,
  work: (writer: Writer) => Promise<T>,
  wanted: Change = "changed",
): Promise<T> {
  let change = wanted;
  const { home } = settings;
  refuseEmptyStart(home);
  // Before anything is loaded: a variable that is wrong is no reason to end without publishing.
  chooseTextLimit(settings, world);
  const writer = await openOwn(settings, world);
  let result: T;
  try {
    if (writer.hasKilledRun) await endAbandoned(writer.database.connection);
    const isPruned = await finishPrunes(home, writer.database.connection, writer.hasPrunes);
    const isUndone = await finishUndos(home, writer);
    if (change !== "rewritten" && (isPruned || isUndone)) change = "changed";
    await bringDeliveryRuns(home, writer.database.connection);
    result = await work(writer);
  } catch (error) {
    // What went wrong first is what counts; a full disk, for example, keeps the copy from being made, too.
    await closeAndPublish(settings, writer, world, { change, hasSteps: false }).catch(
      (later: unknown) => notify(world, warning("publication_failed", { why: getMessage(later) })),
    );
    throw error;
  }
  const ending = { change, hasSteps: isFollowed(wanted) };
  await closeAndPublish(settings, writer, world, ending).catch((error: unknown) => {
    throw change === "rewritten" ? error : joinFaults(error, result);
  });
  return result;
}

// Work that only changes rows is to hold the lock for a moment.
function isFollowed(wanted: Change): boolean {
  return wanted === "grown" || wanted === "rewritten";
}

// What the work stored is safe, so that is done in part, unless the work itself has said that it failed.
function joinFaults(error: unknown, result?: unknown): unknown {
  const isPlain = error instanceof AuditlakeError && error.exitCode === exitCode.failed;
  const isStored = result !== exitCode.failed && result !== exitCode.refused;
  return isPlain && isStored ? new AuditlakeError(error.message, exitCode.partial) : error;
}

// These hold the lock for a moment; a run waits for them instead of ending.
const brief = ["export", "activate", "findings"];
const briefTries = 300;
const briefPauseMs = 200;

async function openLock(
  { lock }: Settings["home"],
  command: string,
  world: World,
): Promise<RunLock> {
  for (let left = briefTries; ; left--)
    try {
      return takeLock(lock, command, world.now());
    } catch (error) {
      const held = lockState(lock);
      const by = held.state === "held" ? held.by?.command : undefined;
      const isBrief = by !== undefined && brief.includes(by);
      if (!isBrief || left === 0 || world.signal.aborted) throw error;
      await world.sleep(briefPauseMs, world.signal).catch(() => undefined);
    }
}

/** Holds the run lock of the home, swept and with an empty staging folder, while `work` runs. */
export async function withLock<T>(
  settings: Settings,
  world: World,
  command: string,
  work: () => Promise<T>,
): Promise<T> {
  const { home, flags } = settings;
  const fault = describeBrokenExtra(settings);
  if (fault !== undefined) notify(world, fault, exitCode.partial);
  await createHome(home, (facts) => {
    if (flags.quiet !== true) notify(world, warning("home_readable", facts));
  });
  using _lock = await openLock(home, command, world);
  await sweepHome(home, world.now());
  await using _log = await openEvidence(settings, world);
  rmSync(home.staging, { recursive: true, force: true });
  mkdirSync(home.staging, { mode: 0o700 });
  try {
    return await work();
  } finally {
    rmSync(home.staging, { recursive: true, force: true });
  }
}

/** Publishes a rewritten warehouse; no writer may be open. A failed publication ends the run as done in part. */
export async function publishWarehouse(
  settings: Settings,
  world: World,
  change: Change = "rewritten",
): Promise<void> {
  const writer = await openOwn(settings, world);
  const ending = { change, hasSteps: isFollowed(change) };
  await closeAndPublish(settings, writer, world, ending).catch((error: unknown) => {
    throw joinFaults(error);
  });
}

/**
 * Removes what killed processes left in a home. That is drafts of landed files, pages that nothing names, a copy on its
 * way to being published, and folders that readers spilled to. Only the holder of the run lock may call it.
 */
export async function sweepHome({ root, landing, draft }: Home, nowMs: number): Promise<void> {
  await sweepLanding(landing);
  removeDatabase(draft);
  for (const name of readdirSync(root))
    if (isLeft(name, join(root, name), nowMs))
      rmSync(join(root, name), { recursive: true, force: true });
}

const spill = /^\.spill-(\d+)-[0-9a-f]+$/;

// Readers take no lock.
function isLeft(name: string, path: string, nowMs: number): boolean {
  const pid = spill.exec(name)?.[1];
  return pid !== undefined && isAbandoned(path, Number(pid), nowMs);
}
