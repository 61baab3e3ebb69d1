import { expect, test } from "vitest";
import {
  buildKey,
  formatRight,
  type Holding,
} from "../../../../../pipeline/answers/access/review/item.ts";

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

test("a right is the same under another name of its object, unless the name is its only identity", () => {
  const withId = { ...holding, objectId: "5" };
  expect(buildKey({ ...withId, objectName: "renamed" })).toBe(buildKey(withId));
  expect(buildKey({ ...holding, objectName: "shared" })).not.toBe(buildKey(holding));
  expect(buildKey({ ...holding, policyName: "Readers", person: "ann@new.example" })).toBe(
    buildKey(holding),
  );
});

test("a right is named by its object, its id, or what it reaches", () => {
  const member = { ...holding, way: "member", operation: null };
  const texts: [Partial<Holding>, string][] = [
    [{}, "Journeys edit growth"],
    [{ objectId: "5" }, "Journeys edit growth (5)"],
    [{ objectName: null }, "Journeys edit"],
    [{ ...member, kind: "Policies", objectId: "7" }, "member of policy growth (7)"],
    [{ ...member, kind: "Roles" }, "role growth"],
    [{ ...member, kind: "Roles", objectName: null }, "role "],
    [{ kind: "Account", operation: "manage_all" }, "manage all of the account"],
    [{ kind: "Databases", operation: "query" }, "query on growth"],
    [
      { kind: "Databases", operation: null, objectName: null, reach: "own" },
      "what is not understood on own",
    ],
    [{ kind: "Databases", operation: "query", objectName: null }, "query on databases not shown"],
    [
      { kind: "Databases", operation: "query", reach: "databases not shown" },
      "query, databases not shown",
    ],
  ];
  expect(texts.map(([change]) => formatRight({ ...holding, ...change }))).toEqual(
    texts.map(([, text]) => text),
  );
});
