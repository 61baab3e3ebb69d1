import { syncFolder } from "../../base/home/durable.ts";
import { DeliveryError } from "../targets/error.ts";
import { AuditlakeError, messageOf } from "../../base/errors.ts";
import {
  endDelivery,
  forgetBegunActivation,
  noteMissed,
  refusedOf,
  type BegunActivation,
  type Dropped,
  type Missed,
} from "../../core/store/activation/begun-run.ts";
import { countsOf, type Compared } from "../../core/store/activation/compare.ts";
import { recordActivation, type ActivationRun } from "../../core/store/activation/runs.ts";
import { inTransaction } from "../../base/sql/transaction.ts";
import { targetOf } from "../deliveries/activation-target.ts";
import { outboxOf } from "../deliveries/target.ts";
import { newRunId } from "../../core/store/ledger/totals.ts";
import { toTimestamp } from "../../base/time/text.ts";
import { removeKept } from "../deliveries/begun.ts";
import { unmappedOf } from "./begin.ts";
import { deliverClass, goesOutEmpty, type ClassContext, type DeliveryTally } from "./classes.ts";
import { activationsFolder } from "../../core/store/activation/memory-files.ts";
import { keepPlaces } from "./places.ts";
import { leaveClass } from "./unmapped-now.ts";
import type { Activated, Started } from "./started.ts";

/** The record of a run that began now, before anything came of it. */
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

/**
 * Delivers what is to go out of a delivery that was begun, class by class, and ends it. Rows that arrived are
 * remembered as what the destination has, the others are set aside. The next run goes on with a delivery that fails.
 * One that `isFresh` and fails before anything went out is forgotten. Throws what a connector throws.
 */
export async function goOn(
  started: Started,
  begun: BegunActivation,
  isFresh: boolean,
): Promise<Activated> {
  const { connection, settings, name } = started;
  const compared = await countsOf(connection);
  const run = newRun(started, begun.number, begun.allNewBecause, compared);
  const tally: DeliveryTally = { accepted: 0, refused: 0, uncertain: 0 };
  try {
    const ended = await deliverAll(started, begun, compared, run, tally);
    await syncFolder(activationsFolder(settings.home));
    // Remembered rows are never delivered again, so the ledger of who got them can go.
    await removeKept(outboxOf(settings.home, targetOf(name)), () => false);
    const refused = await refusedOf(connection, deliveryOf(name, begun));
    return {
      ...ended,
      unmapped: unmappedOf(compared, begun.mapped),
      setAside: compared.setAside,
      refused,
    };
  } catch (error) {
    await recordFailure(started, { ...run, ...tally }, error, isFresh).catch(() => undefined);
    throw error;
  }
}

function deliveryOf(name: string, { number }: BegunActivation): string {
  return `${name}-${number}`;
}

async function deliverAll(
  started: Started,
  begun: BegunActivation,
  { out }: Compared,
  run: ActivationRun,
  tally: DeliveryTally,
): Promise<{ readonly run: ActivationRun; readonly dropped: Dropped }> {
  const { name, connection, targets, world } = started;
  const context = contextOf(started, begun);
  const missed: Missed[] = [];
  let isWhole = true;
  for (const status of begun.mapped) {
    const target = targets.find((each) => each.status === status);
    if (out[status] === 0 && (target === undefined || !goesOutEmpty(target))) continue;
    const ended =
      target === undefined
        ? await leaveClass(status, out[status], context, tally)
        : await deliverClass(target, out[status], context, tally);
    missed.push(...ended.missed);
    isWhole &&= ended.isWhole;
  }
  return inTransaction(connection, async () => {
    for (const each of missed) await noteMissed(connection, each);
    const finishedAt = toTimestamp(world.now());
    const dropped = await endDelivery(connection, begun, deliveryOf(name, begun), finishedAt);
    const isAll = isWhole && tally.refused + tally.uncertain === 0;
    const outcome = isAll ? ("delivered" as const) : ("partial" as const);
    const done = { ...run, ...tally, outcome, finishedAt };
    await recordActivation(connection, done);
    await keepPlaces(connection, targets);
    return { run: done, dropped };
  });
}

function contextOf(started: Started, { number }: BegunActivation): ClassContext {
  const { connection, name, activation, source, order, settings, world } = started;
  const { title } = source;
  return { connection, name, activation, title, number, order, settings, world };
}

async function recordFailure(
  { connection, world, settings, name }: Started,
  run: ActivationRun,
  error: unknown,
  isFresh: boolean,
): Promise<void> {
  const outcome = world.signal.aborted ? "interrupted" : "failed";
  const finishedAt = toTimestamp(world.now());
  // The error is recorded before anything else can fail, since a person has to read it.
  await recordActivation(connection, { ...run, outcome, error: messageOf(error), finishedAt });
  const isUnsent = error instanceof AuditlakeError && !(error instanceof DeliveryError);
  const isUntouched = run.accepted + run.refused + run.uncertain === 0;
  if (!isFresh || !isUnsent || !isUntouched) return;
  await inTransaction(connection, () => forgetBegunActivation(connection));
  await removeKept(outboxOf(settings.home, targetOf(name)), () => false);
}
