import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import type {
  Deliver,
  Delivery,
  DeliveryContext,
  WithName,
} from "../../../work/targets/connector.ts";
import { newLedger, spansOf, type Ledger, type FinalState } from "../../../work/targets/ledger.ts";
import { openJournal, type Journal } from "./journal.ts";
import { readRecipients, rowsFor, type Recipient, type Recipients } from "./recipients.ts";
import { sendAll, type Tally } from "./send.ts";
import { checkTemplate } from "./template.ts";
import { senderId } from "./sender.ts";
import { newSession } from "./session.ts";
import { rowsText, warnOfSkipped } from "./row-texts.ts";

/**
 * Sends a message to each valid phone number of the rows, once. Each send is recorded before and after. A delivery that
 * is repeated under its id therefore leaves out who got a message, and who perhaps did. Throws before the first message
 * where the configuration, the columns or the template will not do.
 */
export const deliverMessages: Deliver<Messaging> = async (target, rows, context) => {
  const recipients = await readRecipients(target, rows, context.leavesOut);
  const { outbox, deliveryId, world, ledger = newLedger() } = context;
  await using journal = await openJournal(outbox, deliveryId, world.now);
  const earlier = sorted(recipients.all, journal);
  warnOfSkipped(recipients.skipped, context.print);
  warnOfUncertain(target.name, earlier.uncertain, journal, recipients, context);
  await recordEarlier(earlier, recipients, ledger);
  const resent = context.resendUncertain === true ? earlier.uncertain : [];
  const retried = context.retryRefused === true ? earlier.refused : [];
  const todo = [...earlier.open, ...resent, ...retried].toSorted((a, b) => a.row - b.row);
  const before: Tally = {
    accepted: earlier.accepted.length,
    refused: skippedCount(recipients) + earlier.refused.length - retried.length,
    uncertain: earlier.uncertain.length - resent.length,
  };
  const after = await sendTo(todo, before, target, journal, { ...context, ledger });
  return outcome(target.name, after, earlier, retried.length, recipients);
};

async function sendTo(
  todo: readonly Recipient[],
  before: Tally,
  target: WithName<Messaging>,
  journal: Journal,
  context: DeliveryContext & { readonly ledger: Ledger },
): Promise<Tally> {
  if (todo.length === 0) return before;
  const session = newSession(target, context);
  const sender = await senderId(target, session);
  await checkTemplate(target, session, context.print);
  const send = (message: string) => session.send(sender, message);
  return sendAll(todo, before, { target, send, journal, context });
}

type Sorted = Record<"accepted" | "uncertain" | "refused" | "open", Recipient[]>;

const groupOf = {
  accepted: "accepted",
  refused: "refused",
  sending: "uncertain",
  unsent: "open",
} as const;

// What an earlier attempt at this delivery left.
function sorted(all: readonly Recipient[], journal: Journal): Sorted {
  const groups: Sorted = { accepted: [], uncertain: [], refused: [], open: [] };
  for (const recipient of all)
    groups[groupOf[journal.stateOf(recipient) ?? "unsent"]].push(recipient);
  return groups;
}

// The record of sends knows best, since it is on the disk before a message goes.
async function recordEarlier(
  { accepted, uncertain }: Sorted,
  { skipped }: Recipients,
  ledger: Ledger,
): Promise<void> {
  const recordAll = async (rows: number[], state: FinalState, why?: string): Promise<void> => {
    const news = rows.filter((row) => ledger.stateOf(row) !== state);
    await ledger.record(spansOf(news), state, why);
  };
  await recordAll(accepted.flatMap(rowsFor), "accepted");
  await recordAll(
    uncertain.flatMap(rowsFor),
    "uncertain",
    "an earlier attempt began to send and got no answer",
  );
  await recordAll([...skipped.invalid], "refused", "no valid phone number with its country code");
  await recordAll([...skipped.withoutValue], "refused", "no value for a variable of the template");
}

function warnOfUncertain(
  name: string,
  uncertain: readonly Recipient[],
  journal: Journal,
  { all }: Recipients,
  { print, resendUncertain }: DeliveryContext,
): void {
  if (uncertain.length > 0)
    print(
      `warning: ${name}: an earlier attempt began to send and got no answer, so these may have their message: ${rowsText(uncertain)}; ${resendUncertain === true ? "sent again now, perhaps for the second time" : "not sent again; --resend-uncertain does, perhaps for the second time"}`,
    );
  const gone = journal.uncertainBeside(all);
  if (gone > 0)
    print(
      `warning: ${name}: ${gone} more of an earlier attempt may have their message; the result no longer holds them`,
    );
}

function skippedCount({ skipped }: Recipients): number {
  return skipped.invalid.length + skipped.withoutValue.length;
}

function outcome(
  target: string,
  { accepted, refused, uncertain }: Tally,
  earlier: Sorted,
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
