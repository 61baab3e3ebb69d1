import { deltaStatuses, type DeltaStatus } from "../../../schemas/activation.ts";
import { AuditlakeError, messageOf } from "../../base/errors.ts";
import { syncFolder } from "../../base/home/durable.ts";
import { inTransaction } from "../../base/sql/transaction.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { countsOf, type Compared } from "../../core/store/activation/compare.ts";
import { activationsFolder, takeNumber, type Memory } from "../../core/store/activation/memory.ts";
import {
  begunOf,
  endDelivery,
  forgetBegunActivation,
  noteMissed,
  recordActivation,
  recordBegunActivation,
  refusedOf,
  type ActivationRun,
  type BegunActivation,
  type Dropped,
} from "../../core/store/activation/runs.ts";
import { newRunId } from "../../core/store/ledger/record.ts";
import { removeKept } from "../deliveries/delivery.ts";
import { outboxOf, targetOf } from "../deliveries/target.ts";
import { DeliveryError } from "../targets/error.ts";
import {
  deliverClass,
  goesOutEmpty,
  keepClass,
  keepPlaces,
  keptClass,
  leaveClass,
  type ClassEnd,
  type DeliveryTally,
} from "./classes.ts";
import { compareNow } from "./compare.ts";
import { passGuard } from "./guard.ts";
import type { Activated, Started } from "./started.ts";

/** The record of a run that starts now, before anything was delivered. */
export function newRun(
  { name, world }: Started,
  number: number,
  allNewBecause: string | undefined,
  { rows, counts }: Pick<Compared, "rows" | "counts">,
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
export async function startDelivery(started: Started, before: Memory): Promise<BegunActivation> {
  const { name, connection, activation, order, settings, world, targets } = started;
  const beganAtMs = world.now();
  await inTransaction(connection, async () => {
    const found = await compareNow(started, before);
    await passGuard(name, found, activation, order);
    const number = await takeNumber(settings.home, name, before.lastNumber);
    for (const each of targets)
      if (found.out[each.status] > 0 || goesOutEmpty(each))
        await keepClass(each, beganAtMs, started, number);
    const mapped = targets.map(({ status }) => status);
    const { keys, idType, allNewBecause } = found;
    const begun = { number, dueMs: order.dueMs, beganAtMs, keys, idType, allNewBecause, mapped };
    await recordBegunActivation(connection, begun);
  });
  // The database writes its files, and leaves their names to others.
  await syncFolder(activationsFolder(settings.home));
  return (await begunOf(connection))!;
}

/**
 * Delivers the remaining rows of a delivery that was started, class by class, and ends it. Rows that arrived are
 * recorded as what the destination has, the others wait for the next run. The next run resumes a delivery that fails.
 * One that `isFresh` and fails before anything was sent is deleted. Throws what a connector throws.
 */
export async function resumeDelivery(
  started: Started,
  begun: BegunActivation,
  isFresh: boolean,
): Promise<Activated> {
  const { connection, name } = started;
  const compared = await countsOf(connection);
  const run = newRun(started, begun.number, begun.allNewBecause, compared);
  const tally: DeliveryTally = { accepted: 0, refused: 0, uncertain: 0 };
  try {
    const ends = await deliverClasses(started, begun, compared, tally);
    const ended = await endRun(started, begun, { ...run, ...tally }, ends);
    await forgetRows(started);
    const refused = await refusedOf(connection, `${name}-${begun.number}`);
    const { setAside } = compared;
    return { ...ended, unmapped: findUnmapped(compared, begun.mapped), setAside, refused };
  } catch (error) {
    await recordFailure(started, { ...run, ...tally }, error, isFresh).catch(() => undefined);
    throw error;
  }
}

/** Removes what is kept of deliveries: remembered rows are never delivered again. */
export async function forgetRows({ settings: { home }, name }: Started): Promise<void> {
  await syncFolder(activationsFolder(home));
  await removeKept(outboxOf(home, targetOf(name)));
}

/** Classes that hold rows but have no mapping: they go nowhere. */
export function findUnmapped(
  { out }: Pick<Compared, "out">,
  mapped: readonly DeltaStatus[],
): readonly DeltaStatus[] {
  return deltaStatuses.filter((status) => out[status] > 0 && !mapped.includes(status));
}

async function deliverClasses(
  started: Started,
  { mapped, number }: BegunActivation,
  { out }: Compared,
  tally: DeliveryTally,
): Promise<ClassEnd[]> {
  const ends: ClassEnd[] = [];
  for (const status of mapped) {
    const target = started.targets.find((each) => each.status === status);
    if (out[status] === 0 && (target === undefined || !goesOutEmpty(target))) continue;
    const kept = keptClass(status, out[status], started, number);
    ends.push(
      target === undefined
        ? await leaveClass(status, kept, started, tally)
        : await deliverClass(target, kept, started, tally),
    );
  }
  return ends;
}

async function endRun(
  { connection, name, targets, world }: Started,
  begun: BegunActivation,
  run: ActivationRun,
  ends: readonly ClassEnd[],
): Promise<{ readonly run: ActivationRun; readonly dropped: Dropped }> {
  return inTransaction(connection, async () => {
    for (const each of ends.flatMap(({ missed }) => missed)) await noteMissed(connection, each);
    const finishedAt = toTimestamp(world.now());
    const dropped = await endDelivery(connection, begun, `${name}-${begun.number}`, finishedAt);
    const isAll = ends.every(({ isWhole }) => isWhole) && run.refused + run.uncertain === 0;
    const outcome = isAll ? ("delivered" as const) : ("partial" as const);
    const ended = { ...run, outcome, finishedAt };
    await recordActivation(connection, ended);
    await keepPlaces(connection, targets);
    return { run: ended, dropped };
  });
}

async function recordFailure(
  started: Started,
  run: ActivationRun,
  error: unknown,
  isFresh: boolean,
): Promise<void> {
  // The error is recorded before anything else can fail, since a person has to read it.
  await recordFailedRun(started, run, error);
  const isUnsent = error instanceof AuditlakeError && !(error instanceof DeliveryError);
  const isUntouched = run.accepted + run.refused + run.uncertain === 0;
  if (!isFresh || !isUnsent || !isUntouched) return;
  await inTransaction(started.connection, () => forgetBegunActivation(started.connection));
  await removeKept(outboxOf(started.settings.home, targetOf(started.name)));
}

/** Records a run that failed or was interrupted. */
export async function recordFailedRun(
  { connection, world }: Started,
  run: ActivationRun,
  error: unknown,
): Promise<void> {
  const outcome = world.signal.aborted ? "interrupted" : "failed";
  const finishedAt = toTimestamp(world.now());
  await recordActivation(connection, { ...run, outcome, error: messageOf(error), finishedAt });
}
