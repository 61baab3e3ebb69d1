import type { Item } from "../../../../../pipeline/answers/access/review/item.ts";

/** A right that a policy gives to a user, as a review asks about it. */
export const right: Item = {
  userId: "20",
  person: "ann@example.com",
  way: "policy",
  policyId: "7",
  policyName: "Analysts",
  kind: "Databases",
  operation: "query",
  objectId: "5",
  objectName: "shop",
  reach: "one database",
  row: "",
  owner: "",
  since: null,
  givenBy: null,
  evidence: "",
  lastUse: null,
};
