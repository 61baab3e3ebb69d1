import { expect, test } from "vitest";
import type { SentChange } from "../../../../../pipeline/answers/access/log.ts";
import type { Item } from "../../../../../pipeline/answers/access/review/item.ts";
import type { Review } from "../../../../../pipeline/answers/access/review/stored-decisions.ts";
import {
  decideStatus,
  listRevokedSince,
  type RevokedRights,
} from "../../../../../pipeline/answers/access/review/item-status.ts";

const item = {
  way: "policy",
  policyId: "7",
  kind: "Databases",
  operation: "query",
  objectId: "1",
} as Item;
const grant = {
  kind: "Databases",
  operation: "query",
  objectId: "1",
  objectName: null,
  details: null,
};
const taking = (outcome: string, change: Partial<RevokedRights> = {}): RevokedRights => ({
  policyId: "7",
  outcome,
  removed: [grant],
  ...change,
});
const end = { key: "k", at: "2026-01-02", by: "ann" };

test.each<[isHeld: boolean, ends: boolean, takings: RevokedRights[], state: string]>([
  [true, false, [], "open"],
  [true, false, [taking("in_place")], "sent"],
  [true, false, [taking("kept_further")], "sent"],
  [true, false, [taking("not_read_back")], "sent, not confirmed"],
  [true, true, [taking("in_place")], "open"],
  [false, true, [], "done by hand"],
  [false, false, [], "done by hand"],
  [false, true, [taking("not_read_back")], "sent"],
  [true, false, [taking("in_place"), taking("not_read_back")], "sent, not confirmed"],
  [true, false, [taking("in_place", { policyId: "8" })], "open"],
  [true, false, [taking("in_place", { removed: [{ ...grant, objectId: "2" }] })], "open"],
  [true, false, [taking("in_place", { removed: [{ ...grant, operation: "edit" }] })], "open"],
  [true, false, [taking("in_place", { removed: [{ ...grant, kind: "Journeys" }] })], "open"],
])("in force %s, its end known %s, after %j: %s", (isHeld, ends, takings, state) => {
  const found = decideStatus(item, isHeld, ends ? end : undefined, takings);
  expect(found).toEqual({ state, end: ends && !isHeld ? end : undefined });
});

test("a right that a user has by another way is not revoked by a set", () => {
  const own = { ...item, way: "set" } as Item;
  expect(decideStatus(own, true, undefined, [taking("in_place")]).state).toBe("open");
});

test("only sets that were sent to the same source since the review count, and may have revoked something", () => {
  const review = { source: "a", on: "2026-01-02T00:00:00Z" } as Review;
  const send = (change: Partial<SentChange>): SentChange =>
    ({
      source: "a",
      policy_id: "7",
      sent_at: review.on,
      outcome: "in_place",
      before: '{"Databases":[{"operation":"query","ids":"1,2"}]}',
      after: '{"Databases":[{"operation":"query","ids":"2"}]}',
      ...change,
    }) as SentChange;
  const none = ["not_sent", "changed_meanwhile", "refused", "not_in_place"];
  const others = [
    send({ source: "b" }),
    send({ sent_at: "2026-01-01T23:59:59Z" }),
    ...none.map((outcome) => send({ outcome })),
  ];
  expect(listRevokedSince(others, review)).toEqual([]);
  expect(listRevokedSince([send({}), send({ outcome: "begun" })], review)).toEqual([
    taking("in_place"),
    taking("begun"),
  ]);
});
