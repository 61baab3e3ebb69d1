import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { countRows, type Destination } from "../../../work/targets/destination.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { deliverToMarketingCloud } from "./deliver.ts";
import { checkColumns } from "./layout.ts";
import { tryMarketingCloud } from "./try.ts";

/** Rows of a data extension (seed 002, A). */
export const marketingCloudDestination: Destination<MarketingCloud> = {
  deliver: deliverToMarketingCloud,
  preview: async (target, rows) => {
    checkColumns(target, rows.columns);
    const insertion = `${target.data_operation}, ${target.async ? "asynchronous" : "synchronous"}`;
    return `${rowCount(await countRows(rows))} to data extension ${target.de_name} (${insertion})`;
  },
  describe: placeOf,
  place: ({ auth_uri, client_id, folder_path, de_name, data_operation }) => [
    auth_uri,
    client_id,
    folder_path,
    de_name,
    data_operation,
  ],
  replaces: (target) => (target.data_operation === "replace" ? placeOf(target) : undefined),
  secrets: (target) => [target.client_secret],
  needsCredentials: () => true,
  test: tryMarketingCloud,
};

function placeOf({ de_name: name }: MarketingCloud): string {
  return `data extension ${name}`;
}
