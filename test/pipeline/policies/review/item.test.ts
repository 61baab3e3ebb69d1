import { expect, test } from "vitest";
import { keyOf, type Holding } from "../../../../pipeline/policies/review/item.ts";

const holding: Holding = {
  userId: "20",
  person: "ann@example.com",
  way: "policy",
  policyId: "7",
  policyName: "Analysts",
  kind: "Journeys",
  operation: "edit",
  objectId: null,
  objectName: "growth",
  reach: null,
};

test("a holding is the same under another name of its object, unless the name is all that it has", () => {
  const withId = { ...holding, objectId: "5" };
  expect(keyOf({ ...withId, objectName: "renamed" })).toBe(keyOf(withId));
  expect(keyOf({ ...holding, objectName: "shared" })).not.toBe(keyOf(holding));
  expect(keyOf({ ...holding, policyName: "Readers", person: "ann@new.example" })).toBe(
    keyOf(holding),
  );
});
