import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import { deltaStatuses, type Activation } from "../../schemas/activation.ts";
import { AuditlakeError, messageOf } from "../errors.ts";
import type { Report } from "../report/find.ts";
import { bind } from "../report/run.ts";
import type { Settings } from "../settings.ts";
import {
  compareRuns,
  forgetRows,
  idsOf,
  memoryOf,
  openActivation,
  recordActivation,
  rememberRows,
  takeRows,
  type ActivationRun,
  type DeltaKeys,
  type Ids,
  type Memory,
} from "../warehouse/activation.ts";
import type { World } from "../world.ts";
import { classTargets, deliverClasses, type Delivered } from "./activation/classes.ts";
import { activationFile, activationsFolder } from "./activation/files.ts";
import { deltaKeysOf, sourceOf, type ActivationSource } from "./activation/source.ts";
import { withTarget, type DeliveryOrder } from "./delivery.ts";
import { newRunId, toTimestamp } from "./totals.ts";
import { limitsOf } from "./writer.ts";

export type ActivationOrder = Omit<DeliveryOrder, "deliveryId"> & {
  readonly dryRun: boolean;
  /** Whether the rows count as delivered although the destination refused some of them. */
  readonly acceptRefused: boolean;
};

/** What a run found and did; in a dry run nothing is delivered. */
export type Activated = {
  readonly run: ActivationRun;
  /** Classes that hold rows but have no mapping: they go nowhere. */
  readonly unmapped: readonly string[];
};

const maxSample = 40;

const unfinished = {
  finishedAt: "",
  outcome: "delivered",
  allNewBecause: undefined,
  rows: 0,
  counts: { new: 0, updated: 0, deleted: 0, unchanged: 0 },
  accepted: 0,
  refused: 0,
  error: undefined,
} as const;

/**
 * Runs one incremental activation (seed 002, C): compares the rows with those of the last committed run, delivers
 * the mapped classes, and only then remembers rows and run, in one transaction. A run that fails leaves the state
 * as it was, is recorded, and the next run delivers the same again.
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
  if (!existsSync(home.published))
    throw new AuditlakeError(
      `nothing published yet: ${home.published} does not exist; run auditlake ingest or import first`,
    );
  mkdirSync(activationsFolder(home), { recursive: true, mode: 0o700 });
  return withTarget(home, `activation-${name}`, `activate ${name}`, world, async () => {
    const temporary = join(activationsFolder(home), `${name}.tmp`);
    const file = activationFile(home, name);
    await using database = await openActivation(
      file,
      home.published,
      temporary,
      limitsOf(settings),
    );
    const { connection } = database;
    const before = await memoryOf(connection);
    const runId = newRunId(world.now(), world.random);
    const outset = { runId, number: before.committed + 1, startedAt: toTimestamp(world.now()) };
    const base: ActivationRun = { ...unfinished, ...outset, activation: name };
    const started = { name, activation, source, order, settings, world, connection, before };
    // Awaited here, since the database closes when this function is left.
    return order.dryRun
      ? await inTransaction(connection, "rollback", () => compared(started, base))
      : await run(started, base);
  });
}

type Started = {
  readonly name: string;
  readonly activation: Activation;
  readonly source: ActivationSource;
  readonly order: ActivationOrder;
  readonly settings: Settings;
  readonly world: World;
  readonly connection: DuckDBConnection;
  readonly before: Memory;
};

type Compared = Activated & { readonly keys: DeltaKeys };

async function run(started: Started, base: ActivationRun): Promise<Activated> {
  const { connection, world } = started;
  let seen = base;
  try {
    return await inTransaction(connection, "commit", async () => {
      const found = await compared(started, base);
      seen = found.run;
      const delivered = await delivery(started, found.run);
      const done = finished(found.run, delivered, started);
      if (done.outcome === "delivered") await rememberRows(connection, found.keys);
      else await forgetRows(connection);
      await recordActivation(connection, done);
      return { ...found, run: done };
    });
  } catch (error) {
    const outcome = world.signal.aborted ? "interrupted" : "failed";
    const finishedAt = toTimestamp(world.now());
    await recordActivation(connection, { ...seen, outcome, finishedAt, error: messageOf(error) });
    throw error;
  }
}

async function inTransaction<T>(
  connection: DuckDBConnection,
  end: "commit" | "rollback",
  work: () => Promise<T>,
): Promise<T> {
  await connection.run("begin");
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await connection.run("rollback").catch(() => undefined);
    throw error;
  }
  await connection.run(end);
  return result;
}

async function compared(
  { activation, source, connection, before }: Started,
  base: ActivationRun,
): Promise<Compared> {
  const { statement } = source;
  const keys = await deltaKeysOf(connection, activation, statement);
  const allNewBecause = whyAllNew(before, keys);
  const bindTo = (prepared: DuckDBPreparedStatement): void => bind(prepared, statement.values);
  await takeRows(connection, statement.sql, bindTo, keys, allNewBecause === undefined);
  const ids = await idsOf(connection);
  refuseBadIds(ids, keys.idKey);
  const counts = await compareRuns(connection);
  const mapped = activation.activation_mappings.map((each) => each.delta_status);
  const unmapped = deltaStatuses.filter((each) => counts[each] > 0 && !mapped.includes(each));
  return { keys, unmapped, run: { ...base, allNewBecause, rows: ids.rows, counts } };
}

// Domain facts: without a history that compares the same columns, everything is new.
function whyAllNew({ keys, hasRows }: Memory, now: DeltaKeys): string | undefined {
  if (keys === undefined || !hasRows) return "first run";
  if (keys.idKey !== now.idKey) return "id_key changed";
  return isDeepStrictEqual(keys.deltaKeys, now.deltaKeys) ? undefined : "delta_keys changed";
}

// Seed 002, C, rule 3.
function refuseBadIds({ withoutId, doubled, samples }: Ids, idKey: string): void {
  const unchanged = "nothing was delivered and the state is as it was";
  if (withoutId > 0)
    throw new AuditlakeError(
      `id_key ${idKey} is null in ${withoutId} ${withoutId === 1 ? "row" : "rows"}; expected a value in each; ${unchanged}`,
    );
  if (doubled === 0) return;
  const shown = samples.map((id) => JSON.stringify(id.slice(0, maxSample))).join(" and ");
  throw new AuditlakeError(
    `id_key ${idKey} is not unique: ${doubled} ${doubled === 1 ? "value comes" : "values come"} more than once, such as ${shown}; ${unchanged}`,
  );
}

function delivery(
  { name, activation, source, order, settings, world, connection }: Started,
  { number, counts }: ActivationRun,
): Promise<Delivered> {
  const targets = classTargets(name, activation, settings);
  const { title } = source;
  const context = { connection, name, activation, title, number, order, settings, world };
  return deliverClasses(targets, counts, context);
}

// Rows that were refused would never be delivered if they were remembered.
function finished(
  run: ActivationRun,
  { accepted, refused }: Delivered,
  { world, order }: Started,
): ActivationRun {
  const outcome = refused === 0 || order.acceptRefused ? "delivered" : "partial";
  return { ...run, accepted, refused, outcome, finishedAt: toTimestamp(world.now()) };
}
