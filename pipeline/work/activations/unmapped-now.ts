import type { DeltaStatus } from "../../../schemas/activation.ts";
import { rowCount } from "../targets/error.ts";
import { openLedger, countStates } from "../targets/ledger.ts";
import {
  add,
  type ClassContext,
  type ClassEnd,
  type DeliveryTally,
  filesOfClass,
  missedOf,
} from "./classes.ts";

/**
 * Counts what became of a class of a delivery whose mapping was removed since it began. What stays behind is told, since
 * nothing more of it goes out.
 */
export async function leaveClass(
  status: DeltaStatus,
  rows: number,
  context: ClassContext,
  tally: DeliveryTally,
): Promise<ClassEnd> {
  await using ledger = await openLedger(filesOfClass(status, context).ledger);
  const counts = countStates(ledger, rows);
  add(tally, counts);
  if (counts.open > 0)
    context.order.print(
      `warning: ${status}: its mapping is gone since the delivery began; ${rowCount(counts.open)} of it did not go out`,
    );
  return { missed: missedOf(status, rows, ledger), isWhole: true };
}
