import { expect, test } from "vitest";
import type { Item } from "../../../../../pipeline/answers/access/review/item.ts";
import type { Review } from "../../../../../pipeline/answers/access/review/kept-decisions.ts";
import {
  movedRights,
  newHolders,
} from "../../../../../pipeline/answers/access/review/checked-changes.ts";
import type { Taken } from "../../../../../pipeline/answers/access/review/plan-decisions.ts";

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
  const moved = (now: string[], revoked: string[] = [], id = "7"): string[] =>
    movedRights(review, id, new Set(now), new Set(revoked));
  expect(moved(["query:1", "query:2", "manage"])).toEqual([]);
  expect(moved(["query:2", "manage"], ["query:1"])).toEqual([]);
  expect(moved(["query:1", "query:2", "edit:3"])).toEqual(["now holds edit:3", "lost manage"]);
  expect(moved(["edit:3"], [], "8")).toEqual(["now holds edit:3"]);
});

test("a new holder of a revoked right is named once, and no other user", () => {
  const review = { items: [item("ann")] } as unknown as Review;
  const taken: Taken[] = [{ operation: "query", id: "1", items: [item("ann")] }];
  const holdings = [
    item("ann"),
    item("bob"),
    item("bob"),
    item("eve", { way: "set" }),
    item("dan", { policyId: "8" }),
    item("fay", { objectId: "2" }),
  ];
  expect(newHolders(review, taken, holdings)).toEqual(["bob has joined it"]);
});
