import { type Print, formatLine } from "../../../base/notice/printer.ts";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import type { Rows } from "../../../base/rows/row.ts";
import type {
  DeliveryContext,
  Destination,
  WithName,
} from "../../../outgoing/targets/destination.ts";
import { deliverMessages } from "./deliver.ts";
import { readRecipients, warnOfSkipped } from "./recipients.ts";
import { phoneNumbers } from "../../../../schemas/connectors/messaging-answers.ts";
import { UsageError } from "../../../base/errors.ts";
import { newSession, findSenderId } from "./session.ts";
import { checkTemplate } from "./template.ts";

/** Signs in, looks for the sending number and the template; sends nothing. Throws what a delivery throws. */
export async function tryMessaging(
  target: WithName<Messaging>,
  context: DeliveryContext,
): Promise<string[]> {
  const session = newSession(target, context);
  const sender = await findSenderId(target, session);
  if (target.account_id === undefined) await session.known(sender);
  else if (target.send_by === "phone_number_id") {
    const all = await session.list(`${target.account_id}/phone_numbers`, {}, phoneNumbers);
    if (!all.some(({ id }) => id === sender))
      throw new UsageError(
        `phone_number_id: account ${target.account_id} has no number with id ${sender}; it has ${all.map(({ id }) => id).join(", ") || "none"}`,
      );
  }
  const warnings: string[] = [];
  await checkTemplate(target, session, (line) => warnings.push(formatLine(line)));
  const template = target.send_mode === "template" ? [`template ${target.template_name}`] : [];
  const found = [
    "the access token",
    "the sending number",
    ...(warnings.length > 0 ? [] : template),
  ];
  return [`${found.join(", ")}: all valid; nothing was sent`, ...warnings];
}

/** A message to each phone number of the rows (seed 002, B). */
export const messagingDestination: Destination<Messaging> = {
  deliver: deliverMessages,
  preview: previewRows,
  describe: (target) => new URL(target.base_url).origin,
  secrets: (target) => [target.access_token],
  needsCredentials: () => true,
  test: tryMessaging,
  isNewEachTime: true,
};

async function previewRows(target: WithName<Messaging>, rows: Rows, print: Print): Promise<string> {
  const { all, skipped } = await readRecipients(target, rows);
  warnOfSkipped(skipped, print);
  const what = target.send_mode === "template" ? `template ${target.template_name}` : "a text";
  return `${what} to ${all.length} ${all.length === 1 ? "number" : "numbers"}`;
}
