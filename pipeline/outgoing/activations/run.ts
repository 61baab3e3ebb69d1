import { warning } from "../../base/notice/notice.ts";
import { join } from "node:path";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import { makeSecureFolder } from "../../base/home/durable.ts";
import { requirePublished } from "../../base/home/published.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Row } from "../../base/rows/row.ts";
import { runStatement } from "../../base/sql/select.ts";
import type { World } from "../../base/world.ts";
import { selectRowsOfStatus } from "../../core/store/activation/compare.ts";
import {
  getActivationFile,
  getActivationsFolder,
  readMemory,
  openActivation,
} from "../../core/store/activation/memory.ts";
import {
  findStartedActivation,
  giveUp,
  type StartedActivation,
} from "../../core/store/activation/runs.ts";
import { loadLimits } from "../../core/store/limits.ts";
import { refuseSharedRecords, nameTarget, withTarget } from "../deliveries/target.ts";
import { mapOutputs } from "../targets/outputs.ts";
import { listClassTargets, warnOfPlaces } from "./classes.ts";
import { compareNow, findSource, type Comparison } from "./compare.ts";
import { findUnmapped, newRun, recordFailedRun, resumeDelivery, startDelivery } from "./deliver.ts";
import { guardFault } from "./guard.ts";
import { resyncActivation } from "./state.ts";
import type {
  ActivationResult,
  ActivationRequest,
  Preview,
  PreparedActivation,
} from "./started.ts";

type OnEnded = (ended: ActivationResult) => Promise<void> | void;

/**
 * Runs one incremental activation (seed 002, C): compares the rows with the destination, delivers the mapped classes,
 * and records delivered rows. An interrupted delivery resumes first, with its own rows. If started by hand, the run
 * ends there; at another scheduled time it then compares and delivers the present rows. Calls `onEnded` after each
 * delivery.
 */
export async function activate(
  asked: ActivationRequest,
  settings: Settings,
  world: World,
  onEnded: OnEnded,
): Promise<void> {
  return withStarted(asked, settings, world, async (prepared) =>
    asked.order.dryRun ? onEnded(await compareOnly(prepared)) : run(prepared, onEnded),
  );
}

/** Takes the rows of the source for what the destination has, and delivers nothing. Resolves to how many they are. */
export async function resync(
  asked: ActivationRequest,
  settings: Settings,
  world: World,
): Promise<number> {
  return withStarted(asked, settings, world, resyncActivation);
}

async function withStarted<T>(
  { name, activation, reports, order }: ActivationRequest,
  settings: Settings,
  world: World,
  work: (prepared: PreparedActivation) => Promise<T>,
): Promise<T> {
  const source = findSource(activation, reports, settings.configFolder, world.now());
  const targets = listClassTargets(name, activation, settings, world);
  return withActivation(name, `activate ${name}`, settings, world, (connection) =>
    work({ name, activation, source, targets, order, settings, world, connection }),
  );
}

/** Gives up the undelivered rows of an activation. Resolves to their number. */
export async function acceptRefused(
  name: string,
  settings: Settings,
  world: World,
): Promise<number> {
  return withActivation(name, `activate ${name}`, settings, world, giveUp);
}

/** Runs work on the state of an activation under a lock; see `withTarget`. */
export async function withActivation<T>(
  name: string,
  command: string,
  settings: Settings,
  world: World,
  work: (connection: PreparedActivation["connection"]) => Promise<T>,
): Promise<T> {
  const { home, config } = settings;
  refuseSharedRecords(settings, nameTarget(name));
  requirePublished(home.published);
  await makeSecureFolder(getActivationsFolder(home), home.root);
  return withTarget(home, nameTarget(name), command, world, async () => {
    const temporary = join(getActivationsFolder(home), `${name}.tmp`);
    const file = getActivationFile(home, name);
    await using database = await openSoon(
      () => openActivation(file, home.published, temporary, loadLimits(config)),
      world,
    );
    // The result is awaited here, since the database closes when this function returns.
    return await work(database.connection);
  });
}

// The lock excludes other activations, but a process that copies the runs into the database briefly opens the file.
const opensAgain = 50;
const opensAgainMs = 100;

async function openSoon<T>(open: () => Promise<T>, { sleep, signal }: World): Promise<T> {
  for (let left = opensAgain; ; left--)
    try {
      return await open();
    } catch (error) {
      const isHeld = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
      if (!isHeld || left === 0) throw error;
      await sleep(opensAgainMs, signal);
    }
}

async function run(prepared: PreparedActivation, onEnded: OnEnded): Promise<void> {
  const { connection, order } = prepared;
  const started = await findStartedActivation(connection);
  if (started !== undefined) {
    order.print(resumeText(started));
    await onEnded(await resumeDelivery(prepared, started, false));
    // By hand only the delivery that broke off is finished, and nothing new starts.
    if (order.dueMs === undefined || order.dueMs === started.dueMs) return;
  }
  await warnOfPlaces(prepared);
  const before = await readMemory(connection);
  const fresh = await startDelivery(prepared, before).catch(async (error: unknown) => {
    const nothing = { rows: 0, counts: { new: 0, updated: 0, deleted: 0, unchanged: 0 } };
    const bare = newRun(prepared, before.lastNumber + 1, undefined, nothing);
    await recordFailedRun(prepared, bare, error).catch(() => undefined);
    throw error;
  });
  await onEnded(await resumeDelivery(prepared, fresh, true));
}

function resumeText({ beganAtMs }: StartedActivation): string {
  return `resumes the delivery started ${new Date(beganAtMs).toISOString()}, which was interrupted`;
}

async function compareOnly(prepared: PreparedActivation): Promise<ActivationResult> {
  const { connection, order, name, activation, targets } = prepared;
  const before = await readMemory(connection);
  await warnOfPlaces(prepared);
  const started = await findStartedActivation(connection);
  if (started !== undefined) order.print(resumeText(started));
  await connection.run("begin");
  try {
    const found = await compareNow(prepared, before);
    const fault = guardFault(found, activation);
    if (fault !== undefined)
      order.print(warning("activation_would_stop", { activation: name, why: fault.text }));
    const mapped = targets.map(({ status }) => status);
    return {
      run: newRun(prepared, before.lastNumber + 1, found.allNewBecause, found),
      unmapped: findUnmapped(found, mapped),
      setAside: found.setAside,
      dropped: { gone: 0, changed: 0 },
      refused: [],
      preview: await readPreview(prepared, found, order.preview ?? 0),
    };
  } finally {
    await connection.run("rollback").catch(() => undefined);
  }
}

// The first rows of each mapped class that would go out, mapped as they would be.
async function readPreview(
  { name, activation, source, targets, order, connection, world }: PreparedActivation,
  { out }: Comparison,
  limit: number,
): Promise<Preview[]> {
  const previews: Preview[] = [];
  if (limit === 0) return previews;
  const facts = { nowMs: world.now(), id: name, title: source.title, timezone: order.timezone };
  for (const { status, target } of targets.filter((each) => out[each.status] > 0)) {
    const { sql, values } = await selectRowsOfStatus(connection, status);
    const first = { sql: `${sql} limit ${limit}`, values };
    const found = await runStatement(connection, first, world.signal);
    const { columns, batches } = mapOutputs(found, activation.outputs ?? target.outputs, facts);
    const rows: Row[] = [];
    for await (const batch of batches) rows.push(...batch);
    previews.push({ status, columns, rows });
  }
  return previews;
}
