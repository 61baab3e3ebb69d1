import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import type { DeliveryContext, WithName } from "../../../work/targets/destination.ts";
import { lookAtExtension } from "./extension.ts";
import { layoutFault } from "./layout.ts";
import { openSession } from "./session.ts";

/**
 * Signs in, looks for the folder and the data extension and at its fields; makes and sends nothing. Throws what a delivery
 * throws. That rows may be written, no call shows that writes none.
 */
export async function tryMarketingCloud(
  target: WithName<MarketingCloud>,
  context: DeliveryContext,
): Promise<string[]> {
  const session = openSession(target, context);
  const extension = await lookAtExtension(target, session);
  const name = JSON.stringify(target.de_name);
  if (extension === undefined) return [`signed in; data extension ${name} will be made`];
  const fault = layoutFault(target, extension);
  if (fault !== undefined) throw fault;
  const keys = extension.fields.filter(({ isKey }) => isKey).map(({ name: field }) => field);
  return [
    `signed in; data extension ${name} has ${extension.fields.length} fields, primary key ${keys.join(", ")}`,
    "whether the package may write, only a delivery shows; nothing was sent",
  ];
}
