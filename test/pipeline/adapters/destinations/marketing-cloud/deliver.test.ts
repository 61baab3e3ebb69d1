import { expect, test } from "vitest";
import { newLedger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { newSetting } from "./setting.ts";

// What an earlier attempt left: two rows that arrived, two refused, one that perhaps arrived, and one still to go out.
const before = [
  { rows: [[1, 2]], state: "accepted" },
  { rows: [[3, 4]], state: "refused", why: "too long" },
  { rows: [[5, 5]], state: "uncertain", why: "no answer" },
] as const;
const rows = ["a", "b", "c", "d", "e", "f"].map((id) => [id, "ann", 1]);
const columns = ["id", "actor", { name: "count", type: "BIGINT", kind: "number" }] as const;

test.each([
  [{}, ["f"], { accepted: 3, refused: 2, uncertain: 1, outcome: "partial" }],
  [{ retryRefused: true }, ["c", "d", "f"], { accepted: 5, refused: 0, uncertain: 1 }],
  [{ resendUncertain: true }, ["e", "f"], { accepted: 4, refused: 2, outcome: "partial" }],
  [
    { retryRefused: true, resendUncertain: true },
    ["c", "d", "e", "f"],
    { accepted: 6, refused: 0, outcome: "delivered" },
  ],
])("with %j each row is counted once, by its last outcome", async (again, sent, counts) => {
  const { deliver, ids } = await newSetting();
  const delivery = await deliver(
    listRows(columns, rows),
    {},
    { ledger: newLedger(before), ...again },
  );
  expect(ids()).toEqual(sent);
  expect(delivery).toMatchObject(counts);
  expect(delivery.accepted + delivery.refused + (delivery.uncertain ?? 0)).toBe(rows.length);
});
