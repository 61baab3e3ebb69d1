import type { Delivery } from "../targets/connector.ts";
import { DeliveryError, RecordError, rowCount } from "../targets/error.ts";
import {
  countStates,
  openLedger,
  type Again,
  type Ledger,
  type RowCounts,
} from "../targets/ledger.ts";
import { filesOf, keptName, type Begun } from "./begun.ts";

/** What is left of a delivery that was begun; undefined where an earlier version began it, which kept no rows. */
export async function leftOf(outbox: string, begun: Begun): Promise<RowCounts | undefined> {
  if (begun.rows === undefined) return undefined;
  await using ledger = await openLedger(filesOf(outbox, keptName(begun)).ledger);
  return countStates(ledger, begun.rows);
}

/** Whether anything of it is to go out now. */
export function isAnythingToDo(left: RowCounts, { retryRefused, resendUncertain }: Again): boolean {
  if (left.open > 0) return true;
  return (
    (retryRefused === true && left.refused > 0) || (resendUncertain === true && left.uncertain > 0)
  );
}

/** A fault of a delivery with how far it came, where its ledger alone knows that since it could not be written. */
export function withProgress(
  fault: unknown,
  target: string,
  total: number,
  { count }: Pick<Ledger, "count">,
): unknown {
  const [accepted, uncertain] = [count("accepted"), count("uncertain")];
  if (!(fault instanceof RecordError) || accepted + uncertain === 0) return fault;
  const missing = total - accepted - uncertain;
  return new DeliveryError({ target, accepted, uncertain, missing }, fault.message);
}

/** What is left, in words: `1 row refused, 2 rows uncertain`. */
export function leftText({ open, refused, uncertain }: RowCounts): string {
  const parts: readonly [number, string][] = [
    [open, "not sent"],
    [refused, "refused"],
    [uncertain, "uncertain"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, how]) => `${rowCount(count)} ${how}`)
    .join(", ");
}

/** What a command comes to that sends nothing, since all rows of its delivery were sent, refused, or are uncertain. */
export function nothingMore(target: string, left: RowCounts): Delivery {
  const { accepted, refused, uncertain } = left;
  const ways = [
    ...(refused > 0 ? ["--retry-refused tries those again that were refused"] : []),
    ...(uncertain > 0 ? ["--resend-uncertain sends again what may have arrived"] : []),
    "--new begins another delivery",
  ];
  const notes = [`nothing more is sent: ${leftText(left)}; ${ways.join(", ")}`];
  return { target, accepted, refused, uncertain, outcome: "partial", notes };
}
