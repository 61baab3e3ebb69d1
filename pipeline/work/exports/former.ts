import type { Delivery } from "../targets/connector.ts";
import { filesOf, keptName, readBegun, type Begun } from "../deliveries/begun.ts";
import { leftOf, leftText } from "../deliveries/left.ts";
import { isElsewhere } from "../deliveries/same-place.ts";
import { openLedger } from "../targets/ledger.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { goesOn, goOn, type Place } from "./begun.ts";
import { keyOf, type ExportOrder } from "./with-rows.ts";

/** Hears of a delivery as soon as it has ended. */
export type OnEnded = (ended: Delivery) => void;

/** Goes on with what a delivery of an earlier due time left open, and prints what is left of it then. */
export async function finishFormer(
  { former, onEnded }: { readonly former: Begun; readonly onEnded: OnEnded },
  place: Place,
  order: ExportOrder,
  settings: Settings,
  world: World,
): Promise<void> {
  const { outbox } = place;
  const tries = { ...order, retryRefused: false, resendUncertain: false };
  const before = await leftOf(outbox, former);
  const isLeft = before !== undefined && (await isBegunElsewhere(former, place));
  if (!isLeft && (before === undefined || before.open > 0)) {
    order.print(goesOn(former, undefined));
    const ended = await goOn({ begun: former, isFresh: false }, place, tries, settings, world);
    onEnded(ended);
    // Of what went out whole nothing is kept that could be asked.
    if (ended.outcome === "delivered") return;
  }
  await printLeft(former, outbox, order);
}

// What went out of it is where the target pointed then; the rest does not follow it elsewhere, and is told.
async function isBegunElsewhere(former: Begun, { target, outbox }: Place): Promise<boolean> {
  await using ledger = await openLedger(filesOf(outbox, keptName(former)).ledger);
  return isElsewhere(target, ledger);
}

/** Prints what is left of the delivery on record, where another one is to begin in its place. */
export async function printFormer(outbox: string, order: ExportOrder): Promise<void> {
  const former = formerOf(outbox, order);
  if (former !== undefined && former.isDone !== true) await printLeft(former, outbox, order);
}

// A damaged record is what --new is for.
function formerOf(outbox: string, order: ExportOrder): Begun | undefined {
  try {
    return readBegun(outbox, keyOf(order));
  } catch {
    return undefined;
  }
}

async function printLeft(
  former: Begun,
  outbox: string,
  { print, report, to }: ExportOrder,
): Promise<void> {
  const left = await leftOf(outbox, former).catch(() => undefined);
  if (left === undefined || left.open + left.refused + left.uncertain === 0) return;
  const begun = new Date(former.nowMs).toISOString();
  print(
    `warning: ${report.name} to ${to}: another delivery begins; left of that begun ${begun}: ${leftText(left)}`,
  );
}
