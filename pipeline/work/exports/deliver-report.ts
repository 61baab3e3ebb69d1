import { destinationOf } from "../registry.ts";
import { questionOf, rangeLines } from "../../answers/report/params.ts";
import type { Column, Rows } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { outboxOf, findTarget, targetCredentials, withTarget } from "../deliveries/target.ts";
import { begin, beginning, doneBefore, earlierOf, goesOn, goOn, type Place } from "./begun.ts";
import { finishFormer, printFormer, type OnEnded } from "./former.ts";
import { refuseSharedRecords } from "../deliveries/activation-target.ts";
import { isAnythingToDo, leftOf, leftText } from "../deliveries/left.ts";
import { countStates, isWanted, openLedger } from "../targets/ledger.ts";
import { refuseElsewhere } from "../deliveries/same-place.ts";
import { withRows, type ExportOrder } from "./with-rows.ts";
import { keptRows, wantedRows } from "../deliveries/kept-rows.ts";
import { filesOf, keptName, type Begun } from "../deliveries/begun.ts";

/**
 * Runs a report and delivers what comes out, mapped as the target has it. A delivery that did not come to its end is
 * gone on with, with the rows that it was begun with. Once all of them were sent, refused or are uncertain, nothing
 * more goes out. What one came to is told as soon as it has ended: of an earlier due time, and then of this one. Throws
 * what report and connector throw.
 */
export async function exportReport(
  order: ExportOrder,
  settings: Settings,
  world: World,
  onEnded: OnEnded,
): Promise<void> {
  const target = findTarget(settings, order.to);
  refuseSharedRecords(settings, order.to);
  // What can be wrong without the database or the destination is found before anything is written.
  targetCredentials(target, settings, world);
  questionOf(order.report, order.given, world.now());
  return withTarget(settings.home, target.name, `export ${order.report.name}`, world, (outbox) =>
    deliverOnce({ target, outbox }, order, settings, world, onEnded),
  );
}

async function deliverOnce(
  place: Place,
  order: ExportOrder,
  settings: Settings,
  world: World,
  onEnded: OnEnded,
): Promise<void> {
  const { outbox } = place;
  const earlier = earlierOf(outbox, order);
  if (earlier?.isDone === true) return onEnded(doneBefore(earlier, place.target.name));
  if (earlier !== undefined && isOfDue(earlier, order)) {
    await printEarlier(earlier, outbox, order);
    return onEnded(await goOn({ begun: earlier, isFresh: false }, place, order, settings, world));
  }
  if (earlier !== undefined)
    await finishFormer({ former: earlier, onEnded }, place, order, settings, world);
  else if (order.isNew) await printFormer(outbox, order);
  const begun = await begin(place, order, settings, world);
  onEnded(await goOn({ begun, isFresh: true }, place, order, settings, world));
}

async function printEarlier(earlier: Begun, outbox: string, order: ExportOrder): Promise<void> {
  const { report, given, print } = order;
  print(goesOn(earlier, await leftOf(outbox, earlier)));
  for (const line of rangeLines(questionOf(report, given, earlier.nowMs).values)) print(line);
}

// By hand it is always the last one that is gone on with.
function isOfDue({ dueMs }: Begun, order: ExportOrder): boolean {
  return order.dueMs === undefined || order.dueMs === dueMs;
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
  const target = findTarget(settings, order.to);
  refuseSharedRecords(settings, order.to);
  targetCredentials(target, settings, world);
  const outbox = outboxOf(settings.home, target.name);
  const earlier = earlierOf(outbox, order);
  if (earlier?.isDone === true)
    return { text: "nothing, since that was delivered already", columns: [] };
  const isKept = earlier !== undefined && isOfDue(earlier, order);
  if (isKept) await printEarlier(earlier, outbox, order);
  const plan = async (rows: Rows): Promise<ExportPlan> => {
    const text = await destinationOf(target).preview(target, rows, order.print);
    return { text, columns: rows.columns };
  };
  if (isKept && earlier.rows !== undefined) {
    await using ledger = await openLedger(filesOf(outbox, keptName(earlier)).ledger);
    refuseElsewhere(target, ledger);
    const left = countStates(ledger, earlier.rows);
    if (!isAnythingToDo(left, order))
      return { text: `nothing more: ${leftText(left)}`, columns: [] };
    const kept = await keptRows(filesOf(outbox, keptName(earlier)).rows);
    return await plan(wantedRows(kept, (number) => isWanted(ledger.stateOf(number), order)));
  }
  const { nowMs } = isKept ? earlier : beginning(order, world.now());
  return withRows({ ...order, target, nowMs }, settings, world, plan);
}
