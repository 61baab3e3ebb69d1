import type { Messaging } from "../../../schemas/connectors/messaging.ts";
import type { Deliver, Delivery, DeliveryContext, Settled } from "../connector.ts";
import { openJournal, type Journal } from "./journal.ts";
import { readRecipients, type Recipient, type Recipients } from "./recipients.ts";
import { sendAll, type Tally } from "./send.ts";
import { checkTemplate } from "./template.ts";
import { senderId } from "./sender.ts";
import { newSession } from "./session.ts";
import { rowsText, tellSkipped } from "./tell.ts";

/**
 * Sends a message to each valid phone number of the rows, once. Each send is recorded before and after, so a delivery
 * that is repeated under its id leaves out who got a message, and who perhaps did. Throws before the first message
 * where the configuration, the columns or the template will not do.
 */
export const deliverMessages: Deliver<Messaging> = async (target, rows, context) => {
  const recipients = await readRecipients(target, rows);
  const { outbox, deliveryId, world } = context;
  await using journal = await openJournal(outbox, deliveryId, world.now);
  const earlier = sorted(recipients.all, journal);
  tellSkipped(recipients.skipped, context.say);
  tellUncertain(target.name, earlier.uncertain, journal, recipients, context);
  const resent = context.resendUncertain === true ? earlier.uncertain : [];
  const todo = [...earlier.open, ...resent].toSorted((a, b) => a.row - b.row);
  const before: Tally = {
    accepted: earlier.accepted.length,
    refused: skippedCount(recipients),
    uncertain: earlier.uncertain.length - resent.length,
  };
  const after = await sendTo(todo, before, target, journal, context);
  return outcome(target.name, after, earlier.accepted.length, recipients);
};

async function sendTo(
  todo: readonly Recipient[],
  before: Tally,
  target: Settled<Messaging>,
  journal: Journal,
  context: DeliveryContext,
): Promise<Tally> {
  if (todo.length === 0) return before;
  const session = newSession(target, context);
  const sender = await senderId(target, session);
  await checkTemplate(target, session, context.say);
  const send = (message: string) => session.send(sender, message);
  return sendAll(todo, before, target, send, journal, context);
}

type Sorted = Record<"accepted" | "uncertain" | "open", Recipient[]>;

// What an earlier attempt at this delivery left: a recipient that was refused is tried again.
function sorted(all: readonly Recipient[], journal: Journal): Sorted {
  const groups: Sorted = { accepted: [], uncertain: [], open: [] };
  for (const recipient of all) {
    const state = journal.stateOf(recipient);
    const group = state === "accepted" ? "accepted" : state === "sending" ? "uncertain" : "open";
    groups[group].push(recipient);
  }
  return groups;
}

function tellUncertain(
  name: string,
  uncertain: readonly Recipient[],
  journal: Journal,
  { all }: Recipients,
  { say, resendUncertain }: DeliveryContext,
): void {
  if (uncertain.length > 0)
    say(
      `warning: ${name}: an earlier attempt began to send and got no answer, so these may have their message: ${rowsText(uncertain)}; ${resendUncertain === true ? "sent again now, perhaps for the second time" : "not sent again; --resend-uncertain does, perhaps for the second time"}`,
    );
  const gone = journal.uncertainBeside(all);
  if (gone > 0)
    say(
      `warning: ${name}: ${gone} more of an earlier attempt may have their message; the result no longer holds them`,
    );
}

function skippedCount({ skipped }: Recipients): number {
  return skipped.invalid.length + skipped.withoutValue.length;
}

function outcome(
  target: string,
  { accepted, refused, uncertain }: Tally,
  earlier: number,
  { rowCount }: Recipients,
): Delivery {
  const notes = [
    ...(rowCount === 0 ? ["no rows, so nothing was sent"] : []),
    ...(earlier > 0 ? [`${earlier} of the messages were sent by an earlier attempt`] : []),
  ];
  const isWhole = refused === 0 && uncertain === 0;
  return {
    target,
    accepted,
    refused,
    doubtful: uncertain,
    outcome: isWhole ? "delivered" : "partial",
    notes,
  };
}
