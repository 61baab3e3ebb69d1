import type { Deliver, Delivery, DeliveryContext, SettledTarget } from "./connector.ts";
import { deliverByMail } from "./email/deliver.ts";
import { deliverToFile } from "./file/deliver.ts";
import { deliverToMarketingCloud } from "./marketing-cloud/deliver.ts";
import { deliverMessages } from "./messaging/deliver.ts";
import { deliverToWebhook } from "./webhook/deliver.ts";
import type { Rows } from "../rows/row.ts";

// A new kind of target is one line here, one in schemas/connectors.ts, and a file or folder beside this one.
const connectors: {
  readonly [T in SettledTarget["type"]]: Deliver<Extract<SettledTarget, { type: T }>>;
} = {
  marketing_cloud_v2: deliverToMarketingCloud,
  messaging_business: deliverMessages,
  file: deliverToFile,
  webhook: deliverToWebhook,
  email: deliverByMail,
};

/** Delivers rows to a target by its type. */
export function deliver(
  target: SettledTarget,
  rows: Rows,
  context: DeliveryContext,
): Promise<Delivery> {
  return (connectors[target.type] as Deliver)(target, rows, context);
}
