import { warning } from "../../../base/notice/notice.ts";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import type {
  Deliver,
  Delivery,
  DeliveryContext,
  WithName,
} from "../../../outgoing/targets/destination.ts";
import { toSpans, type Ledger, type RowState } from "../../../outgoing/targets/ledger.ts";
import { readEarlierJournal } from "./earlier-journal.ts";
import {
  readRecipients,
  type Recipient,
  type Recipients,
  formatRows,
  warnOfSkipped,
} from "./recipients.ts";
import { sendAll, type Tally } from "./send.ts";
import { checkTemplate } from "./template.ts";
import { newSession, findSenderId } from "./session.ts";

/**
 * Sends a message to each valid phone number of the rows, once. Each send is on the disk before it goes, so that another
 * attempt leaves out who got a message, and who perhaps did. Throws before the first message where the configuration, the
 * columns or the template will not do.
 */
export const deliverMessages: Deliver<Messaging> = async (target, rows, context) => {
  const recipients = await readRecipients(target, rows, context.leavesOut);
  const { outbox, deliveryId, ledger } = context;
  await readEarlierJournal(outbox, deliveryId, recipients.all, ledger);
  await ledger.recordInterrupted();
  const earlier = sortByState(recipients.all, ledger);
  warnOfSkipped(recipients.skipped, context.print);
  warnOfUncertain(target.name, earlier.uncertain, context);
  await recordSkipped(recipients, ledger);
  const resent = context.resendUncertain === true ? earlier.uncertain : [];
  const retried = context.retryRefused === true ? earlier.refused : [];
  const todo = [...earlier.open, ...resent, ...retried].toSorted((a, b) => a.row - b.row);
  const before: Tally = {
    accepted: earlier.accepted.length,
    refused: countSkipped(recipients) + earlier.refused.length - retried.length,
    uncertain: earlier.uncertain.length - resent.length,
  };
  const after = await sendTo(todo, before, target, context);
  return summarizeDelivery(target.name, after, earlier, retried.length, recipients);
};

async function sendTo(
  todo: readonly Recipient[],
  before: Tally,
  target: WithName<Messaging>,
  context: DeliveryContext,
): Promise<Tally> {
  if (todo.length === 0) return before;
  const session = newSession(target, context);
  const sender = await findSenderId(target, session);
  await checkTemplate(target, session, context.print);
  const send = (message: string) => session.send(sender, message);
  return sendAll(todo, before, { target, send, context });
}

type SortedRecipients = Record<RowState, readonly Recipient[]>;

// What an earlier attempt at this delivery left.
function sortByState(all: readonly Recipient[], ledger: Ledger): SortedRecipients {
  const groups = Object.groupBy(all, ({ row }) => ledger.getState(row));
  return { accepted: [], uncertain: [], refused: [], open: [], ...groups };
}

async function recordSkipped({ skipped }: Recipients, ledger: Ledger): Promise<void> {
  const reasons: readonly [readonly number[], string][] = [
    [skipped.invalid, "no valid phone number with its country code"],
    [skipped.withoutValue, "no value for a variable of the template"],
  ];
  for (const [rows, why] of reasons) {
    const added = rows.filter((row) => ledger.getState(row) !== "refused");
    await ledger.record(toSpans(added), "refused", why);
  }
}

function warnOfUncertain(
  target: string,
  uncertain: readonly Recipient[],
  { print, resendUncertain }: DeliveryContext,
): void {
  if (uncertain.length > 0)
    print(
      warning("messages_unanswered", {
        target,
        who: formatRows(uncertain),
        is_resent: resendUncertain === true,
      }),
    );
}

function countSkipped({ skipped }: Recipients): number {
  return skipped.invalid.length + skipped.withoutValue.length;
}

function summarizeDelivery(
  target: string,
  { accepted, refused, uncertain }: Tally,
  earlier: SortedRecipients,
  retried: number,
  { rowCount }: Recipients,
): Delivery {
  const [sent, left] = [earlier.accepted.length, earlier.refused.length - retried];
  const notes = [
    ...(rowCount === 0 ? ["no rows, so nothing was sent"] : []),
    ...(sent > 0 ? [`${sent} of the messages were sent by an earlier attempt`] : []),
    ...(left > 0
      ? [`${left} were refused by an earlier attempt; --retry-refused tries them again`]
      : []),
  ];
  const isWhole = refused === 0 && uncertain === 0;
  return {
    target,
    accepted,
    refused,
    uncertain,
    outcome: isWhole ? "delivered" : "partial",
    notes,
  };
}
