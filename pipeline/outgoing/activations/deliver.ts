import { deltaStatuses, type DeltaStatus } from "../../../schemas/activation.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { syncFolder } from "../../base/home/durable.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { countRows, type ComparedRows } from "../../core/store/activation/compare.ts";
import {
  getActivationsFolder,
  takeNumber,
  type Memory,
} from "../../core/store/activation/memory.ts";
import {
  findStartedActivation,
  endDelivery,
  deleteStartedActivation,
  noteMissed,
  recordActivation,
  recordStartedActivation,
  listRefused,
  type ActivationRun,
  type StartedActivation,
  type DroppedRow,
} from "../../core/store/activation/runs.ts";
import { newRunId } from "../../core/store/ledger/record.ts";
import { removeKept } from "../deliveries/delivery.ts";
import { getOutbox, nameTarget } from "../deliveries/target.ts";
import { DeliveryError } from "../targets/error.ts";
import {
  deliverClass,
  sendsEmpty,
  keepClass,
  keepPlaces,
  getKeptClass,
  leaveClass,
  type ClassEnd,
  type DeliveryTally,
} from "./classes.ts";
import { compareNow } from "./compare.ts";
import { passGuard } from "./guard.ts";
import type { ActivationResult, PreparedActivation } from "./started.ts";

/** The record of a run that starts now, before anything was delivered. */
export function newRun(
  { name, world }: PreparedActivation,
  number: number,
  allNewBecause: string | undefined,
  { rows, counts }: Pick<ComparedRows, "rows" | "counts">,
): ActivationRun {
  return {
    runId: newRunId(world.now(), world.random),
    activation: name,
    number,
    startedAt: toTimestamp(world.now()),
    finishedAt: "",
    outcome: "delivered",
    allNewBecause,
    rows,
    counts,
    accepted: 0,
    refused: 0,
    uncertain: 0,
    error: undefined,
  };
}

/** Starts a delivery: compares, keeps the rows of each mapped class, and records all of it in one transaction. */
export async function startDelivery(
  prepared: PreparedActivation,
  before: Memory,
): Promise<StartedActivation> {
  const { name, connection, activation, order, settings, world, targets } = prepared;
  const beganAtMs = world.now();
  await runInTransaction(connection, async () => {
    const found = await compareNow(prepared, before);
    await passGuard(name, found, activation, order);
    const number = await takeNumber(settings.home, name, before.lastNumber);
    for (const each of targets)
      if (found.out[each.status] > 0 || sendsEmpty(each))
        await keepClass(each, beganAtMs, prepared, number);
    const mapped = targets.map(({ status }) => status);
    const { keys, idType, allNewBecause } = found;
    const started = { number, dueMs: order.dueMs, beganAtMs, keys, idType, allNewBecause, mapped };
    await recordStartedActivation(connection, started);
  });
  // The database writes its files, and leaves their names to others.
  await syncFolder(getActivationsFolder(settings.home));
  return (await findStartedActivation(connection))!;
}

/**
 * Delivers the remaining rows of a started delivery, class by class, and ends it. Delivered rows are recorded as the
 * state of the destination; the others wait for the next run. The next run resumes a failed delivery, but one that
 * `isFresh` and failed before anything was sent is deleted. Throws what a connector throws.
 */
export async function resumeDelivery(
  prepared: PreparedActivation,
  started: StartedActivation,
  isFresh: boolean,
): Promise<ActivationResult> {
  const { connection, name } = prepared;
  const compared = await countRows(connection);
  const run = newRun(prepared, started.number, started.allNewBecause, compared);
  const tally: DeliveryTally = { accepted: 0, refused: 0, uncertain: 0 };
  try {
    const ends = await deliverClasses(prepared, started, compared, tally);
    const ended = await endRun(prepared, started, { ...run, ...tally }, ends);
    await forgetRows(prepared);
    const refused = await listRefused(connection, `${name}-${started.number}`);
    const { setAside } = compared;
    return { ...ended, unmapped: findUnmapped(compared, started.mapped), setAside, refused };
  } catch (error) {
    await recordFailure(prepared, { ...run, ...tally }, error, isFresh).catch(() => undefined);
    throw error;
  }
}

/** Removes the stored rows of deliveries: recorded rows are never delivered again. */
export async function forgetRows({ settings: { home }, name }: PreparedActivation): Promise<void> {
  await syncFolder(getActivationsFolder(home));
  await removeKept(getOutbox(home, nameTarget(name)));
}

/** Classes that hold rows but have no mapping: they go nowhere. */
export function findUnmapped(
  { out }: Pick<ComparedRows, "out">,
  mapped: readonly DeltaStatus[],
): readonly DeltaStatus[] {
  return deltaStatuses.filter((status) => out[status] > 0 && !mapped.includes(status));
}

async function deliverClasses(
  prepared: PreparedActivation,
  { mapped, number }: StartedActivation,
  { out }: ComparedRows,
  tally: DeliveryTally,
): Promise<ClassEnd[]> {
  const ends: ClassEnd[] = [];
  for (const status of mapped) {
    const target = prepared.targets.find((each) => each.status === status);
    if (out[status] === 0 && (target === undefined || !sendsEmpty(target))) continue;
    const kept = getKeptClass(status, out[status], prepared, number);
    ends.push(
      target === undefined
        ? await leaveClass(status, kept, prepared, tally)
        : await deliverClass(target, kept, prepared, tally),
    );
  }
  return ends;
}

async function endRun(
  { connection, name, targets, world }: PreparedActivation,
  started: StartedActivation,
  run: ActivationRun,
  ends: readonly ClassEnd[],
): Promise<{ readonly run: ActivationRun; readonly dropped: DroppedRow }> {
  return runInTransaction(connection, async () => {
    for (const each of ends.flatMap(({ missed }) => missed)) await noteMissed(connection, each);
    const finishedAt = toTimestamp(world.now());
    const dropped = await endDelivery(connection, started, `${name}-${started.number}`, finishedAt);
    const isAll = ends.every(({ isWhole }) => isWhole) && run.refused + run.uncertain === 0;
    const outcome = isAll ? ("delivered" as const) : ("partial" as const);
    const ended = { ...run, outcome, finishedAt };
    await recordActivation(connection, ended);
    await keepPlaces(connection, targets);
    return { run: ended, dropped };
  });
}

async function recordFailure(
  prepared: PreparedActivation,
  run: ActivationRun,
  error: unknown,
  isFresh: boolean,
): Promise<void> {
  // The error is recorded before anything else can fail, since a person has to read it.
  await recordFailedRun(prepared, run, error);
  const isUnsent = error instanceof AuditlakeError && !(error instanceof DeliveryError);
  const isUntouched = run.accepted + run.refused + run.uncertain === 0;
  if (!isFresh || !isUnsent || !isUntouched) return;
  await runInTransaction(prepared.connection, () => deleteStartedActivation(prepared.connection));
  await removeKept(getOutbox(prepared.settings.home, nameTarget(prepared.name)));
}

export async function recordFailedRun(
  { connection, world }: PreparedActivation,
  run: ActivationRun,
  error: unknown,
): Promise<void> {
  const outcome = world.signal.aborted ? "interrupted" : "failed";
  const finishedAt = toTimestamp(world.now());
  await recordActivation(connection, { ...run, outcome, error: getMessage(error), finishedAt });
}
