import { expect, test } from "vitest";
import { newJsonReply, type Reply } from "../../../../../../fixtures/destinations/destination.ts";
import { newLedger } from "../../../../../../pipeline/outgoing/targets/ledger.ts";
import { carriesRows, nth, newRows, toRows } from "../sent.ts";
import { failure, newSetting } from "../setting.ts";

// A status of success is not enough: accepted rows are returned. If the answer contradicts it, they are uncertain.

const rows = (count: number): object[] => Array.from({ length: count }, () => ({}));
const bodies: [what: string, Reply][] = [
  ["an error", newJsonReply(200, { message: "CANARY", errorcode: 10006 })],
  ["a no", newJsonReply(202, { success: false })],
  ["errors", newJsonReply(200, { hasErrors: true })],
  ["what went wrong", newJsonReply(200, { errors: ["CANARY"] })],
  ["a page to sign in", { status: 200, body: "<html>CANARY</html>" }],
  ["a text", newJsonReply(200, "CANARY")],
  ["none of the rows", newJsonReply(200, [])],
  ["some of the rows", newJsonReply(200, rows(49))],
  ["more rows", newJsonReply(200, rows(51))],
];

test.each(bodies)("a batch that is answered with %s perhaps arrived", async (_, reply) => {
  const setting = await newSetting();
  setting.account.fault(nth(carriesRows, [2], reply));
  const ledger = newLedger();
  const delivery = await setting.deliver(toRows(newRows(101)), {}, { ledger });
  expect(delivery).toMatchObject({ accepted: 51, refused: 0, uncertain: 50, outcome: "partial" });
  expect(delivery.notes.join()).toContain("batch 2 (50 rows): answered with success, but ");
  expect(delivery.notes.join()).not.toContain("CANARY");
  expect([50, 51, 100, 101].map(ledger.getState)).toEqual([
    "accepted",
    "uncertain",
    "uncertain",
    "accepted",
  ]);
});

test("a batch that perhaps arrived ends a delivery without continue_on_failure", async () => {
  const setting = await newSetting();
  setting.account.fault(nth(carriesRows, [2], newJsonReply(200, [])));
  const error = await failure(
    setting.deliver(toRows(newRows(101)), { continue_on_failure: false }),
  );
  expect(error.message).toContain("50 rows sent, 50 rows uncertain, 1 not sent");
});

test.each<[what: string, Reply]>([
  ["the rows", newJsonReply(200, rows(50))],
  ["nothing", { status: 204 }],
  ["another object", newJsonReply(200, { requestId: "1", errors: [], success: true })],
])("a batch that is answered with %s arrived", async (_, reply) => {
  const setting = await newSetting();
  setting.account.fault(nth(carriesRows, [1], reply));
  const delivery = await setting.deliver(toRows(newRows(50)));
  expect(delivery).toMatchObject({ accepted: 50, refused: 0, outcome: "delivered" });
});
