import { expect, it } from "vitest";
import { describeNothingLeft } from "../../../../pipeline/outgoing/exports/record.ts";
import { RecordError } from "../../../../pipeline/outgoing/targets/error.ts";
import {
  newLedger,
  countStates,
  type RowCounts,
} from "../../../../pipeline/outgoing/targets/ledger.ts";
import {
  isAnythingToDo,
  formatLeft,
  withProgress,
} from "../../../../pipeline/outgoing/deliveries/delivery.ts";

const left = (open: number, refused: number, uncertain: number): RowCounts => ({
  accepted: 2,
  open,
  refused,
  uncertain,
});

it("a delivery is open until it has ended", async () => {
  const ledger = newLedger();
  await ledger.record([[1, 2]], "accepted");
  await ledger.record([[3, 5]], "refused", "why");
  await ledger.record([[6, 6]], "uncertain");
  expect(countStates(ledger, 10)).toEqual({ accepted: 2, refused: 3, uncertain: 1, open: 4 });
});

it.each([
  [left(1, 0, 0), [true, true, true]],
  [left(0, 1, 0), [false, true, false]],
  [left(0, 0, 1), [false, false, true]],
  [left(0, 0, 0), [false, false, false]],
])(
  "a delivery %j has rows to send automatically, by --retry-refused, by --resend-uncertain: %j",
  (of, expected) => {
    const found = [{}, { retryRefused: true }, { resendUncertain: true }].map((again) =>
      isAnythingToDo(of, again),
    );
    expect(found).toEqual(expected);
  },
);

it.each([
  [left(1, 2, 3), "1 row not sent, 2 rows refused, 3 rows uncertain"],
  [left(0, 1, 0), "1 row refused"],
  [left(0, 0, 0), ""],
])("the delivery %j is described in words", (of, expected) => {
  expect(formatLeft(of)).toBe(expected);
});

it.each([
  [left(0, 1, 0), "1 row refused; --retry-refused retries the refused rows, --new starts"],
  [
    left(0, 0, 1),
    "1 row uncertain; --resend-uncertain resends rows that may have arrived, --new starts",
  ],
])("the delivery %j is printed with how to send more", (of, expected) => {
  const { notes, ...delivery } = describeNothingLeft("there", of);
  const { refused, uncertain } = of;
  expect(delivery).toEqual({
    target: "there",
    accepted: 2,
    refused,
    uncertain,
    outcome: "partial",
  });
  expect(notes).toEqual([`nothing more is sent: ${expected} another delivery`]);
});

// If the home has no disk space, the delivered rows are reported nevertheless, and rows without a record are
// uncertain.

/** A ledger of ten rows that can be written this many times. */
function writtenTo(most: number) {
  let left = most;
  return newLedger([], async () => {
    await Promise.resolve();
    if ((left -= 1) < 0) throw new RecordError("no space");
  });
}

it.each([
  ["accepted", "5 rows sent, 2 rows uncertain, 3 not sent"],
  ["uncertain", "5 rows sent, 2 rows uncertain, 3 not sent"],
  ["refused", "5 rows sent, 5 not sent"],
] as const)("rows whose state cannot be stored are reported: %s", async (state, message) => {
  const ledger = writtenTo(1);
  await ledger.record([[1, 5]], "accepted");
  const fault = await ledger.record([[6, 7]], state).catch((error: unknown) => error);
  expect(withProgress(fault, "hook", 10, ledger)).toMatchObject({
    message: `delivery to hook stopped: no space; ${message}`,
    exitCode: 6,
  });
});

it("a failure before anything was sent is unchanged, and so is any other one", async () => {
  const ledger = writtenTo(0);
  const fault = await ledger.setFact("place", "there").catch((error: unknown) => error);
  expect(withProgress(fault, "hook", 10, ledger)).toBe(fault);
  const sent = writtenTo(1);
  await sent.record([[1, 1]], "accepted");
  const other = new Error("of another kind");
  expect(withProgress(other, "hook", 10, sent)).toBe(other);
});
