import type { Delivery, SettledTarget } from "../deliver/connector.ts";
import { DeliveryError } from "../deliver/error.ts";
import { removeJournals } from "../deliver/messaging/journal.ts";
import { mapOutputs } from "../deliver/outputs.ts";
import { preview } from "../deliver/preview.ts";
import { AuditlakeError, UsageError } from "../errors.ts";
import type { Report } from "../report/find.ts";
import { describeRange, questionOf, type Given } from "../report/params.ts";
import type { Column, Rows } from "../rows/row.ts";
import type { Settings } from "../settings.ts";
import type { World } from "../world.ts";
import { deliverTo, outboxOf, settledTarget, targetCredentials, withTarget } from "./delivery.ts";
import { exportName, shortHash } from "./export-name.ts";
import { openEngine } from "./reports/engine.ts";
import { begunDeliveries, forgetBegun, readBegun, recordBegun, type Begun } from "./unfinished.ts";

/** A report to deliver. */
export type ExportOrder = {
  readonly report: Report;
  readonly given: Given;
  /** Name of the target. */
  readonly to: string;
  readonly confirmed: boolean;
  readonly resendUncertain: boolean;
  /** Begin another delivery, although one did not come to its end. */
  readonly isNew: boolean;
  readonly say: (line: string) => void;
};

/**
 * Runs a report and delivers what comes out, mapped as the target has it. An export of messages that did not come
 * to its end is gone on with, for the range that it was begun for. Throws what report and connector throw.
 */
export async function exportReport(
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<Delivery> {
  const target = settledTarget(settings, order.to);
  // What can be wrong without the database or the destination is found before anything is written.
  targetCredentials(target, settings, world);
  questionOf(order.report, order.given, world.now());
  return withTarget(settings.home, target.name, `export ${order.report.name}`, world, (outbox) =>
    target.type === "messaging_business"
      ? sendOnce(target, outbox, order, settings, world)
      : run(target, beginning(order, world.now()), order, settings, world),
  );
}

/** What an export would deliver. */
export type ExportPlan = {
  readonly text: string;
  readonly columns: readonly Column[];
};

/** Checks configuration, credentials and columns and counts the rows; sends nothing and writes nothing. */
export async function planExport(
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<ExportPlan> {
  const target = settledTarget(settings, order.to);
  targetCredentials(target, settings, world);
  const isOnce = target.type === "messaging_business";
  const outbox = outboxOf(settings.home, target.name);
  const earlier = isOnce ? earlierOf(outbox, keyOf(order), order) : undefined;
  if (earlier !== undefined) order.say(goesOn(earlier));
  const begun = earlier ?? beginning(order, world.now());
  return withRows(target, begun, order, settings, world, async (rows) => {
    const text = await preview(target, rows, order.say);
    return { text, columns: rows.columns };
  });
}

async function sendOnce(
  target: SettledTarget,
  outbox: string,
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<Delivery> {
  const { say } = order;
  const key = keyOf(order);
  const earlier = earlierOf(outbox, key, order);
  const begun = earlier ?? messaging(beginning(order, world.now()));
  if (earlier !== undefined) say(goesOn(earlier));
  else await recordBegun(outbox, key, begun);
  try {
    const delivery = await run(target, begun, order, settings, world);
    const isInDoubt = (delivery.doubtful ?? 0) > 0;
    if (isInDoubt) await recordBegun(outbox, key, { ...begun, isEnded: true });
    else await forgetBegun(outbox, key);
    await forgetSends(outbox);
    return delivery;
  } catch (error) {
    const isUnsent = error instanceof AuditlakeError && !(error instanceof DeliveryError);
    if (earlier === undefined && isUnsent) await forgetBegun(outbox, key);
    throw error;
  }
}

// Without a record of a delivery nobody goes on with it, nor asks who got its messages.
async function forgetSends(outbox: string): Promise<void> {
  try {
    const begun = begunDeliveries(outbox);
    await removeJournals(outbox, (deliveryId) => begun.includes(deliveryId));
  } catch (error) {
    // A damaged record may be that of a delivery to go on with: all journals stay.
    if (!(error instanceof AuditlakeError)) throw error;
  }
}

function keyOf({ report, given }: ExportOrder): string {
  return shortHash([report.name, [...given].toSorted()]);
}

// The delivery to go on with: one that broke off, or one with messages in doubt that are to be sent again.
function earlierOf(
  outbox: string,
  key: string,
  { report, to, isNew, resendUncertain }: ExportOrder,
): Begun | undefined {
  const found = isNew ? undefined : readBegun(outbox, key);
  if (found === undefined && resendUncertain)
    throw new UsageError(
      `nothing is uncertain: no delivery of ${report.name} to ${to} with these parameters broke off or lost an answer; nothing was sent`,
    );
  return found?.isEnded === true && !resendUncertain ? undefined : found;
}

function goesOn({ nowMs, isEnded }: Begun): string {
  const begun = `the delivery begun ${new Date(nowMs).toISOString()}`;
  if (isEnded) return `goes on with ${begun}, some of whose messages are uncertain`;
  return `goes on with ${begun}, which broke off; --new begins another, also to those who have their message`;
}

function beginning({ report, given }: ExportOrder, nowMs: number): Begun {
  return {
    deliveryId: exportName(report.name, questionOf(report, given, nowMs)),
    nowMs,
    isEnded: false,
  };
}

// To send a message again is another delivery, even for the same range.
function messaging(begun: Begun): Begun {
  const at = new Date(begun.nowMs).toISOString().replaceAll(/[^0-9TZ]/g, "");
  return { ...begun, deliveryId: `${begun.deliveryId}-at-${at}` };
}

function run(
  target: SettledTarget,
  begun: Begun,
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<Delivery> {
  const { deliveryId } = begun;
  return withRows(target, begun, order, settings, world, (rows) =>
    deliverTo(target, rows, { ...order, deliveryId }, settings, world),
  );
}

async function withRows<T>(
  target: SettledTarget,
  { nowMs }: Begun,
  { report, given, say }: ExportOrder,
  settings: Settings,
  world: World,
  work: (rows: Rows) => Promise<T>,
): Promise<T> {
  const question = questionOf(report, given, nowMs);
  await using engine = await openEngine([report], settings, world);
  const range = describeRange(question.values);
  if (range !== "") say(range);
  const result = await engine.rows(report, question, world.signal);
  const newest = engine.dataUpTo();
  if (newest !== undefined) say(`data up to ${newest}`);
  const facts = { nowMs, id: report.name, title: report.title };
  return await work(mapOutputs(result, target.outputs, facts));
}
