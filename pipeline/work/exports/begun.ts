import { destinationOf } from "../registry.ts";
import type { Delivery, NamedTarget } from "../targets/connector.ts";
import { DeliveryError } from "../targets/error.ts";
import { openLedger, countStates, type RowCounts } from "../targets/ledger.ts";
import { AuditlakeError, UsageError } from "../../base/errors.ts";
import { questionOf } from "../../answers/report/params.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { deliverTo } from "../deliveries/target.ts";
import { keepRows, keptRows } from "../deliveries/kept-rows.ts";
import {
  filesOf,
  forgetBegun,
  keptName,
  neededNames,
  readBegun,
  recordBegun,
  removeKept,
  type Begun,
} from "../deliveries/begun.ts";
import { isAnythingToDo, leftOf, leftText, nothingMore } from "../deliveries/left.ts";
import { exportName } from "./name.ts";
import { keyOf, withRows, type ExportOrder } from "./with-rows.ts";
import { idStamp } from "../../base/time/text.ts";

/** Where an export goes: its target, and the folder of the target's records. */
export type Place = { readonly target: NamedTarget; readonly outbox: string };

/** The delivery that an order goes on with; throws UsageError where it asks for rows that there are none of. */
export function earlierOf(outbox: string, order: ExportOrder): Begun | undefined {
  const { report, to, isNew, resendUncertain, retryRefused } = order;
  const last = isNew ? undefined : readBegun(outbox, keyOf(order));
  const found = last?.isDone === true && !isDoneFor(last, order) ? undefined : last;
  if (found !== undefined || (resendUncertain !== true && retryRefused !== true)) return found;
  const what = resendUncertain === true ? "uncertain" : "refused";
  throw new UsageError(
    `nothing is ${what}: no delivery of ${report.name} to ${to} with these parameters ended in part; nothing was sent`,
  );
}

function isDoneFor({ isDone, dueMs }: Begun, order: ExportOrder): boolean {
  const { retryRefused, resendUncertain } = order;
  const isAgain = retryRefused === true || resendUncertain === true;
  return isDone === true && dueMs !== undefined && dueMs === order.dueMs && !isAgain;
}

/** What a command comes to whose delivery was made before, for the same due time: a schedule may not have heard of it. */
export function doneBefore({ rows = 0, dueMs, deliveryId }: Begun, target: string): Delivery {
  const due = new Date(dueMs!).toISOString();
  const notes = [`nothing more is sent: what was due ${due} was delivered; --new begins another`];
  const delivery = deliveryId;
  return { target, delivery, accepted: rows, refused: 0, outcome: "delivered", notes };
}

/** What a person reads of a delivery that is gone on with. */
export function goesOn({ nowMs, isEnded }: Begun, left: RowCounts | undefined): string {
  const begun = `the delivery begun ${new Date(nowMs).toISOString()}`;
  if (isEnded && left !== undefined)
    return `goes on with ${begun}, which ended in part: ${leftText(left)}`;
  return `goes on with ${begun}, which broke off; --new begins another, also of what went out`;
}

/** What a delivery that begins now is called and counts its times from. */
export function beginning({ report, given, dueMs }: ExportOrder, nowMs: number): Begun {
  const deliveryId = exportName(report.name, questionOf(report, given, nowMs));
  return { deliveryId, nowMs, isEnded: false, dueMs };
}

/** Runs the report and keeps its rows: from then on the delivery is begun. */
export async function begin(
  { target, outbox }: Place,
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<Begun> {
  const given = beginning(order, world.now());
  const begun = destinationOf(target).isNewEachTime === true ? named(given) : given;
  await forgetBegun(outbox, keyOf(order));
  await forgetOthers(outbox);
  return keep(begun, { target, outbox }, order, settings, world);
}

// To send a message again is another delivery, even for the same range; a receiver that knows its id would turn it away.
function named(begun: Begun): Begun {
  return { ...begun, deliveryId: `${begun.deliveryId}-at-${idStamp(begun.nowMs)}` };
}

async function keep(
  begun: Begun,
  { target, outbox }: Place,
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<Begun> {
  const key = keyOf(order);
  // Several exports can have one name: a file and a report, say. What is kept goes by their record, as they do.
  const keptAs = `${begun.deliveryId}.${key}`;
  await removeKept(outbox, (name) => name !== keptAs);
  const path = filesOf(outbox, keptAs).rows;
  const asked = { ...order, target, nowMs: begun.nowMs };
  const rows = await withRows(asked, settings, world, (found) => keepRows(found, path));
  const kept = { ...begun, keptAs, rows };
  await recordBegun(outbox, key, kept);
  return kept;
}

/**
 * Delivers what is to go out of a delivery that was begun, and forgets it once all of it was sent. Also where it
 * `isFresh` and failed before anything went out or was refused. Throws what the connector throws.
 */
export async function goOn(
  { begun, isFresh }: { readonly begun: Begun; readonly isFresh: boolean },
  place: Place,
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<Delivery> {
  const { target, outbox } = place;
  const kept = begun.rows === undefined ? await keep(begun, place, order, settings, world) : begun;
  const key = keyOf(order);
  const files = filesOf(outbox, keptName(kept));
  const { deliveryId } = kept;
  try {
    await using ledger = await openLedger(files.ledger);
    const left = countStates(ledger, kept.rows!);
    if (kept.isEnded && !isAnythingToDo(left, order))
      return { ...nothingMore(target.name, left), delivery: deliveryId };
    const rows = await keptRows(files.rows);
    const delivery = await deliverTo(
      target,
      rows,
      { ...order, deliveryId, ledger, total: kept.rows! },
      settings,
      world,
    );
    const isDone = delivery.outcome === "delivered" || delivery.accepted === kept.rows;
    if (isDone && kept.dueMs === undefined) await forgetBegun(outbox, key);
    else if (isDone) await recordBegun(outbox, key, { ...kept, isEnded: true, isDone });
    else await recordBegun(outbox, key, { ...kept, isEnded: true });
    return { ...delivery, delivery: deliveryId };
  } catch (error) {
    const isUnsent = error instanceof AuditlakeError && !(error instanceof DeliveryError);
    if (isFresh && isUnsent && !(await hasMet(outbox, kept))) await forgetBegun(outbox, key);
    throw error;
  } finally {
    await forgetOthers(outbox);
  }
}

// Whether the destination has refused rows of it: they are reported, and tried again.
async function hasMet(outbox: string, begun: Begun): Promise<boolean> {
  const left = await leftOf(outbox, begun);
  return left !== undefined && left.refused > 0;
}

// Without a record of a delivery nobody goes on with it, nor asks who got what.
async function forgetOthers(outbox: string): Promise<void> {
  try {
    const needed = neededNames(outbox);
    await removeKept(outbox, (name) => needed.includes(name));
  } catch (error) {
    // A damaged record may be that of a delivery to go on with: everything stays.
    if (!(error instanceof AuditlakeError)) throw error;
  }
}
