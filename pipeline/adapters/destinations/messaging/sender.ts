import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { phoneNumbers } from "../../../../schemas/connectors/messaging-answers.ts";
import { UsageError } from "../../../base/errors.ts";
import { digitsOf } from "./phone.ts";
import type { Session } from "./session.ts";

/**
 * The id of the sending phone number (seed 002, B, account_id). It is configured, or looked up among the numbers of the
 * account by what is displayed. Throws UsageError where the account has no such number.
 */
export async function senderId(target: Messaging, session: Session): Promise<string> {
  if (target.send_by === "phone_number_id") return target.phone_number_id!;
  const wanted = digitsOf(target.phone_number!);
  const numbers = await session.list(`${target.account_id!}/phone_numbers`, {}, phoneNumbers);
  const found = numbers.find((number) => digitsOf(number.display_phone_number) === wanted);
  if (found !== undefined) return found.id;
  const known = numbers.map((number) => number.display_phone_number).join(", ") || "none";
  throw new UsageError(
    `phone_number: account ${target.account_id} has no number ${target.phone_number}; it has ${known}; nothing was sent`,
  );
}
