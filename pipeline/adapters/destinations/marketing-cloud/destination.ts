import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import {
  countRows,
  type DeliveryContext,
  type Destination,
  type WithName,
} from "../../../outgoing/targets/destination.ts";
import { formatRowCount } from "../../../outgoing/targets/error.ts";
import { deliverToMarketingCloud } from "./deliver.ts";
import { checkColumns, checkLayout } from "./layout.ts";
import { lookAtExtension } from "./extension.ts";
import { openSession } from "./session.ts";

/**
 * Signs in, looks for the folder and the data extension and at its fields; makes and sends nothing. Throws what a delivery
 * throws. That rows may be written, no call shows that writes none.
 */
async function tryMarketingCloud(
  target: WithName<MarketingCloud>,
  context: DeliveryContext,
): Promise<string[]> {
  const session = openSession(target, context);
  const extension = await lookAtExtension(target, session);
  const name = JSON.stringify(target.de_name);
  if (extension === undefined) return [`signed in; data extension ${name} will be created`];
  const fault = checkLayout(target, extension);
  if (fault !== undefined) throw fault;
  const keys = extension.fields.filter(({ isKey }) => isKey).map(({ name: field }) => field);
  return [
    `signed in; data extension ${name} has ${extension.fields.length} fields, primary key ${keys.join(", ")}`,
    "only a delivery shows whether the package has write permission; nothing was sent",
  ];
}

/** Rows of a data extension (seed 002, A). */
export const marketingCloudDestination: Destination<MarketingCloud> = {
  deliver: deliverToMarketingCloud,
  preview: async (target, rows) => {
    checkColumns(target, rows.columns);
    const insertion = `${target.data_operation}, ${target.async ? "asynchronous" : "synchronous"}`;
    return `${formatRowCount(await countRows(rows))} to data extension ${target.de_name} (${insertion})`;
  },
  describe: describePlace,
  place: ({ auth_uri, client_id, folder_path, de_name, data_operation }) => [
    auth_uri,
    client_id,
    folder_path,
    de_name,
    data_operation,
  ],
  replaces: (target) => (target.data_operation === "replace" ? describePlace(target) : undefined),
  secrets: (target) => [target.client_secret],
  needsCredentials: () => true,
  test: tryMarketingCloud,
};

function describePlace({ de_name: name }: MarketingCloud): string {
  return `data extension ${name}`;
}
