import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { phoneNumbers } from "../../../../schemas/connectors/messaging-answers.ts";
import { UsageError } from "../../../base/errors.ts";
import type { DeliveryContext, WithName } from "../../../work/targets/destination.ts";
import { senderId } from "./sender.ts";
import { newSession } from "./session.ts";
import { checkTemplate } from "./template.ts";

/** Signs in, looks for the sending number and the template; sends nothing. Throws what a delivery throws. */
export async function tryMessaging(
  target: WithName<Messaging>,
  context: DeliveryContext,
): Promise<string[]> {
  const session = newSession(target, context);
  const sender = await senderId(target, session);
  if (target.account_id === undefined) await session.known(sender);
  else if (target.send_by === "phone_number_id") {
    const all = await session.list(`${target.account_id}/phone_numbers`, {}, phoneNumbers);
    if (!all.some(({ id }) => id === sender))
      throw new UsageError(
        `phone_number_id: account ${target.account_id} has no number of the id ${sender}; it has ${all.map(({ id }) => id).join(", ") || "none"}`,
      );
  }
  const warnings: string[] = [];
  await checkTemplate(target, session, (line) => warnings.push(line));
  const template = target.send_mode === "template" ? [`template ${target.template_name}`] : [];
  const found = [
    "the access token",
    "the sending number",
    ...(warnings.length > 0 ? [] : template),
  ];
  return [`${found.join(", ")}: all there; nothing was sent`, ...warnings];
}
