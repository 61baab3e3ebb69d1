import { expect, test } from "vitest";
import type { Item } from "../../../../../pipeline/answers/access/review/item.ts";
import type { Review } from "../../../../../pipeline/answers/access/review/stored-decisions.ts";
import {
  listMovedRights,
  listNewHolders,
} from "../../../../../pipeline/answers/access/review/check-changes.ts";
import type { RevokedGroup } from "../../../../../pipeline/answers/access/review/plan-decisions.ts";

const item = (person: string, change: object = {}): Item =>
  ({
    userId: person,
    person,
    way: "policy",
    policyId: "7",
    kind: "Databases",
    operation: "query",
    objectId: "1",
    objectName: null,
    ...change,
  }) as Item;

test("the rights of a policy are compared with the reviewed ones, except those that the review revokes", () => {
  const review = { policies: { "7": ["query:1", "query:2", "manage"] } } as unknown as Review;
  const move = (now: string[], revoked: string[] = [], id = "7"): string[] =>
    listMovedRights(review, id, new Set(now), new Set(revoked));
  expect(move(["query:1", "query:2", "manage"])).toEqual([]);
  expect(move(["query:2", "manage"], ["query:1"])).toEqual([]);
  expect(move(["query:1", "query:2", "edit:3"])).toEqual(["now has edit:3", "lost manage"]);
  expect(move(["edit:3"], [], "8")).toEqual(["now has edit:3"]);
});

test("a new holder of a revoked right is named once, and no other user", () => {
  const review = { items: [item("ann")] } as unknown as Review;
  const taken: RevokedGroup[] = [{ operation: "query", id: "1", items: [item("ann")] }];
  const holdings = [
    item("ann"),
    item("bob"),
    item("bob"),
    item("eve", { way: "set" }),
    item("dan", { policyId: "8" }),
    item("fay", { objectId: "2" }),
  ];
  expect(listNewHolders(review, taken, holdings)).toEqual(["has the new member bob"]);
});
