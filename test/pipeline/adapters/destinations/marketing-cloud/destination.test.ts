import { expect, it } from "vitest";
import type { MarketingCloud } from "../../../../../schemas/connectors/marketing-cloud.ts";
import { marketingCloudDestination } from "../../../../../pipeline/adapters/destinations/marketing-cloud/destination.ts";
import type { WithName } from "../../../../../pipeline/outgoing/targets/destination.ts";
import { newRows, toRows } from "./sent.ts";

type Target = WithName<MarketingCloud>;

const target = { type: "marketing_cloud", name: "cloud", de_name: "Denials", primary_column: "id" };

it.each([
  [
    1,
    { data_operation: "upsert", async: false },
    "1 row to data extension Denials (upsert, synchronous)",
  ],
  [
    3,
    { data_operation: "replace", async: true },
    "3 rows to data extension Denials (replace, asynchronous)",
  ],
])("a preview of %i rows prints where they would go, and how: %j", async (count, how, text) => {
  const wanted = { ...target, ...how } as unknown as Target;
  expect(
    await marketingCloudDestination.preview(wanted, toRows(newRows(count)), () => undefined),
  ).toBe(text);
});
