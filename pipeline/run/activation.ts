import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Activation } from "../../schemas/activation.ts";

import { settleFolder, syncFolder } from "../durable.ts";
import { messageOf } from "../errors.ts";
import type { Report } from "../report/find.ts";
import type { Settings } from "../settings.ts";
import { loadLimits } from "../warehouse/limits.ts";
import { requirePublished } from "../warehouse/published.ts";
import { memoryOf, openActivation, rememberRows, type Memory } from "../warehouse/activation.ts";
import { recordActivation, type ActivationRun } from "../warehouse/activation-runs.ts";
import type { World } from "../world.ts";
import {
  classTargets,
  deliverClasses,
  targetOf,
  type ClassTarget,
  type DeliveryTally,
} from "./activation/classes.ts";
import { compareWithLast, type Comparison } from "./activation/compare.ts";
import { activationFile, activationsFolder, rowsFile } from "./activation/files.ts";
import { statementWithin } from "./activation/rows.ts";
import { sourceOf, type ActivationSource } from "./activation/source.ts";
import { outboxOf, withTarget, type DeliveryOrder } from "./delivery.ts";
import { newRunId, toTimestamp } from "./totals.ts";
import { removeKept } from "./unfinished.ts";

export type ActivationOrder = Omit<DeliveryOrder, "deliveryId"> & {
  readonly dryRun: boolean;
  /** Whether the run counts as delivered although rows of it were refused, or perhaps did not arrive. */
  readonly acceptRefused: boolean;
};

/** What a run found and did; in a dry run nothing is delivered. */
export type Activated = {
  readonly run: ActivationRun;
  /** Classes that hold rows but have no mapping: they go nowhere. */
  readonly unmapped: readonly string[];
};

const unfinished = {
  finishedAt: "",
  outcome: "delivered",
  allNewBecause: undefined,
  rows: 0,
  counts: { new: 0, updated: 0, deleted: 0, unchanged: 0 },
  accepted: 0,
  refused: 0,
  doubtful: 0,
  error: undefined,
} as const;

/**
 * Runs one incremental activation (seed 002, C): compares the rows with those of the last committed run, delivers
 * the mapped classes, and only then remembers rows and run, in one transaction. A run that fails, or of which rows
 * were refused or perhaps did not arrive, leaves the state as it was, is recorded, and the next run delivers the same
 * again under the same delivery ids.
 */
export async function activate(
  name: string,
  activation: Activation,
  reports: readonly Report[],
  order: ActivationOrder,
  settings: Settings,
  world: World,
): Promise<Activated> {
  const { home } = settings;
  const source = sourceOf(activation, reports, world.now());
  const targets = classTargets(name, activation, settings, world);
  requirePublished(home.published);
  await settleFolder(activationsFolder(home), home.root);
  return withTarget(home, targetOf(name), `activate ${name}`, world, async () => {
    const temporary = join(activationsFolder(home), `${name}.tmp`);
    const file = activationFile(home, name);
    await using database = await openActivation(
      file,
      home.published,
      temporary,
      loadLimits(settings.config),
    );
    const { connection } = database;
    const before = await memoryOf(connection);
    const runId = newRunId(world.now(), world.random);
    const outset = { runId, number: before.committed + 1, startedAt: toTimestamp(world.now()) };
    const base: ActivationRun = { ...unfinished, ...outset, activation: name };
    const common = { order, settings, world, connection, before };
    const started = { name, activation, source, targets, ...common };
    // Awaited here, since the database closes when this function is left.
    return order.dryRun ? await compareOnly(started, base) : await run(started, base);
  });
}

type Started = {
  readonly name: string;
  readonly activation: Activation;
  readonly source: ActivationSource;
  readonly targets: readonly ClassTarget[];
  readonly order: ActivationOrder;
  readonly settings: Settings;
  readonly world: World;
  readonly connection: DuckDBConnection;
  readonly before: Memory;
};

async function compareOnly(started: Started, base: ActivationRun): Promise<Activated> {
  return inTransaction(started.connection, async () => {
    const found = await compared(started);
    return { value: activatedOf(base, found), isKept: false };
  });
}

async function run(started: Started, base: ActivationRun): Promise<Activated> {
  const { name, connection, settings, world } = started;
  const tally: DeliveryTally = { accepted: 0, refused: 0, doubtful: 0 };
  let seen: Activated = { run: base, unmapped: [] };
  const ended = (outcome: ActivationRun["outcome"], error?: string): ActivationRun => ({
    ...seen.run,
    ...tally,
    outcome,
    error,
    finishedAt: toTimestamp(world.now()),
  });
  try {
    const done = await inTransaction(connection, async () => {
      const found = await compared(started);
      seen = activatedOf(base, found);
      await delivered(started, seen.run, tally);
      const isKept = isWhole(tally) || started.order.acceptRefused;
      const value = ended(isKept ? "delivered" : "partial");
      if (isKept) await rememberRows(connection, found.keys);
      if (isKept) await recordActivation(connection, value);
      return { value, isKept };
    });
    // The database writes its files, and leaves their names to others.
    await syncFolder(activationsFolder(settings.home));
    if (done.outcome === "partial") await recordActivation(connection, done);
    // What is remembered is never delivered again, so who got it need not be known any more.
    else await removeKept(outboxOf(settings.home, targetOf(name)), () => false);
    return { ...seen, run: done };
  } catch (error) {
    const outcome = world.signal.aborted ? "interrupted" : "failed";
    // What went wrong first is what the person is to read.
    await recordActivation(connection, ended(outcome, messageOf(error))).catch(() => undefined);
    throw error;
  }
}

// Rows that were refused, or perhaps did not arrive, would never be delivered if they were remembered.
function isWhole({ refused, doubtful }: DeliveryTally): boolean {
  return refused === 0 && doubtful === 0;
}

async function inTransaction<T>(
  connection: DuckDBConnection,
  work: () => Promise<{ readonly value: T; readonly isKept: boolean }>,
): Promise<T> {
  await connection.run("begin");
  try {
    const { value, isKept } = await work();
    await connection.run(isKept ? "commit" : "rollback");
    return value;
  } catch (error) {
    await connection.run("rollback").catch(() => undefined);
    throw error;
  }
}

async function compared(started: Started): Promise<Comparison> {
  const { name, connection, activation, source, before, settings, world } = started;
  const path = rowsFile(settings.home, name);
  const statement = await statementWithin(connection, source, path, settings, world);
  return compareWithLast(connection, activation, statement, before, world.signal);
}

function activatedOf(
  base: ActivationRun,
  { rows, counts, allNewBecause, unmapped }: Comparison,
): Activated {
  return { unmapped, run: { ...base, allNewBecause, rows, counts } };
}

function delivered(
  { name, activation, source, targets, order, settings, world, connection }: Started,
  { number, counts }: ActivationRun,
  tally: DeliveryTally,
): Promise<void> {
  const { title } = source;
  const context = { connection, name, activation, title, number, order, settings, world };
  return deliverClasses(targets, counts, context, tally);
}
