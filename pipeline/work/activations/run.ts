import { join } from "node:path";
import { secureFolder } from "../../base/home/durable.ts";
import { AuditlakeError, exitCode, messageOf } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import { memoryOf, openActivation, type Memory } from "../../core/store/activation/memory.ts";
import { begunOf, giveUp, type BegunActivation } from "../../core/store/activation/begun-run.ts";
import { recordActivation } from "../../core/store/activation/runs.ts";
import { loadLimits } from "../../core/store/limits.ts";
import { requirePublished } from "../../base/home/published.ts";
import type { World } from "../../base/world.ts";
import { begin, compared, unmappedOf } from "./begin.ts";
import { classTargets } from "./classes.ts";
import { activationFile, activationsFolder } from "../../core/store/activation/memory-files.ts";
import { guardFault } from "./guard.ts";
import { goOn, newRun } from "./go-on.ts";
import { warnOfPlaces } from "./places.ts";
import { previewOf } from "./preview.ts";
import { resyncActivation } from "./state.ts";
import { sourceOf } from "./delta-source.ts";
import type { Activated, AskedActivation, Started } from "./started.ts";
import { refuseSharedRecords, targetOf } from "../deliveries/activation-target.ts";
import { withTarget } from "../deliveries/target.ts";
import { toTimestamp } from "../../base/time/text.ts";

/** Hears of a delivery of an activation. */
type OnEnded = (ended: Activated) => Promise<void> | void;

/**
 * Runs one incremental activation (seed 002, C): compares the rows with what the destination has, delivers the mapped
 * classes, and remembers what arrived. A delivery that broke off comes first, with the rows that it began with. Called
 * by hand, the run ends there. At another due time the present rows are compared and delivered after it. What each
 * delivery came to is told as soon as it has ended.
 */
export async function activate(
  asked: AskedActivation,
  settings: Settings,
  world: World,
  onEnded: OnEnded,
): Promise<void> {
  return withStarted(asked, settings, world, async (started) =>
    asked.order.dryRun ? onEnded(await compareOnly(started)) : run(started, onEnded),
  );
}

/** Takes the rows of the source for what the destination has, and delivers nothing. Resolves to how many they are. */
export async function resync(
  asked: AskedActivation,
  settings: Settings,
  world: World,
): Promise<number> {
  return withStarted(asked, settings, world, resyncActivation);
}

async function withStarted<T>(
  { name, activation, reports, order }: AskedActivation,
  settings: Settings,
  world: World,
  work: (started: Started) => Promise<T>,
): Promise<T> {
  const source = sourceOf(activation, reports, settings.configFolder, world.now());
  const targets = classTargets(name, activation, settings, world);
  return withActivation(name, `activate ${name}`, settings, world, (connection) =>
    work({ name, activation, source, targets, order, settings, world, connection }),
  );
}

/** Gives up the rows of an activation that did not arrive, and does nothing else. Resolves to how many. */
export async function acceptRefused(
  name: string,
  settings: Settings,
  world: World,
): Promise<number> {
  return withActivation(name, `activate ${name}`, settings, world, giveUp);
}

/** Does something with what an activation remembers, while nobody else does; see `withTarget`. */
export async function withActivation<T>(
  name: string,
  command: string,
  settings: Settings,
  world: World,
  work: (connection: Started["connection"]) => Promise<T>,
): Promise<T> {
  const { home, config } = settings;
  refuseSharedRecords(settings, targetOf(name));
  requirePublished(home.published);
  await secureFolder(activationsFolder(home), home.root);
  return withTarget(home, targetOf(name), command, world, async () => {
    const temporary = join(activationsFolder(home), `${name}.tmp`);
    const file = activationFile(home, name);
    await using database = await soonOpened(
      () => openActivation(file, home.published, temporary, loadLimits(config)),
      world,
    );
    // The result is awaited here, since the database closes when this function returns.
    return await work(database.connection);
  });
}

// Nobody else activates it now; who brings its runs into the database has the file for a moment.
const opensAgain = 50;
const opensAgainMs = 100;

async function soonOpened<T>(open: () => Promise<T>, { sleep, signal }: World): Promise<T> {
  for (let left = opensAgain; ; left--)
    try {
      return await open();
    } catch (error) {
      const isHeld = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
      if (!isHeld || left === 0) throw error;
      await sleep(opensAgainMs, signal);
    }
}

async function compareOnly(started: Started): Promise<Activated> {
  const { connection, order } = started;
  const before = await memoryOf(connection);
  await warnOfPlaces(connection, started.name, started.targets, order.print);
  const begun = await begunOf(connection);
  if (begun !== undefined) order.print(goesOn(begun));
  await connection.run("begin");
  try {
    const found = await compared(started, before);
    const fault = guardFault(found, started.activation);
    if (fault !== undefined) order.print(`warning: ${started.name} would stop: ${fault.text}`);
    const unmapped = unmappedOf(
      found,
      started.targets.map(({ status }) => status),
    );
    const { allNewBecause, setAside } = found;
    const preview = await previewOf(started, found, order.preview ?? 0);
    const planned = newRun(started, before.lastNumber + 1, allNewBecause, found);
    const none = { dropped: { gone: 0, changed: 0 }, refused: [] };
    return { run: planned, unmapped, setAside, ...none, preview };
  } finally {
    await connection.run("rollback").catch(() => undefined);
  }
}

async function run(started: Started, onEnded: OnEnded): Promise<void> {
  const { connection, order } = started;
  const begun = await begunOf(connection);
  if (begun !== undefined) {
    order.print(goesOn(begun));
    await onEnded(await goOn(started, begun, false));
    // By hand only the delivery that broke off is finished, and nothing new begins.
    if (order.dueMs === undefined || order.dueMs === begun.dueMs) return;
  }
  await onEnded(await runAnew(started));
}

async function runAnew(started: Started): Promise<Activated> {
  const before = await memoryOf(started.connection);
  const { connection, name, targets, order } = started;
  await warnOfPlaces(connection, name, targets, order.print);
  const { begun } = await begin(started, before).catch(async (error: unknown) => {
    await recordUnbegun(started, before, error).catch(() => undefined);
    throw error;
  });
  return goOn(started, begun, true);
}

async function recordUnbegun(started: Started, before: Memory, error: unknown): Promise<void> {
  const { world, connection } = started;
  const nothing = { rows: 0, counts: { new: 0, updated: 0, deleted: 0, unchanged: 0 } };
  const bare = newRun(started, before.lastNumber + 1, undefined, nothing);
  const outcome = world.signal.aborted ? "interrupted" : "failed";
  const finishedAt = toTimestamp(world.now());
  await recordActivation(connection, { ...bare, outcome, error: messageOf(error), finishedAt });
}

function goesOn({ beganAtMs }: BegunActivation): string {
  return `goes on with the delivery begun ${new Date(beganAtMs).toISOString()}, which broke off`;
}
