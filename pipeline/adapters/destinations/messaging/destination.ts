import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import type { Rows } from "../../../base/rows/row.ts";
import type { Destination, WithName } from "../../../work/targets/destination.ts";
import { deliverMessages } from "./deliver.ts";
import { readRecipients } from "./recipients.ts";
import { warnOfSkipped } from "./row-texts.ts";
import { tryMessaging } from "./try.ts";

/** A message to each phone number of the rows (seed 002, B). */
export const messagingDestination: Destination<Messaging> = {
  deliver: deliverMessages,
  preview,
  describe: (target) => new URL(target.base_url).origin,
  secrets: (target) => [target.access_token],
  needsCredentials: () => true,
  test: tryMessaging,
  isNewEachTime: true,
};

async function preview(
  target: WithName<Messaging>,
  rows: Rows,
  print: (line: string) => void,
): Promise<string> {
  const { all, skipped } = await readRecipients(target, rows);
  warnOfSkipped(skipped, print);
  const what = target.send_mode === "template" ? `template ${target.template_name}` : "a text";
  return `${what} to ${all.length} ${all.length === 1 ? "number" : "numbers"}`;
}
