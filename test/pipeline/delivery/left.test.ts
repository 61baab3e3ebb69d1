import { expect, it } from "vitest";
import { newLedger } from "../../../pipeline/deliver/ledger.ts";
import {
  countsOf,
  isAnythingToDo,
  leftText,
  nothingMore,
  type Left,
} from "../../../pipeline/delivery/left.ts";

const left = (open: number, refused: number, uncertain: number): Left => ({
  accepted: 2,
  open,
  refused,
  uncertain,
});

it("counts as open what has come to no end", async () => {
  const ledger = newLedger();
  await ledger.record([[1, 2]], "accepted");
  await ledger.record([[3, 5]], "refused", "why");
  await ledger.record([[6, 6]], "uncertain");
  expect(countsOf(ledger, 10)).toEqual({ accepted: 2, refused: 3, uncertain: 1, open: 4 });
});

it.each([
  [left(1, 0, 0), [true, true, true]],
  [left(0, 1, 0), [false, true, false]],
  [left(0, 0, 1), [false, false, true]],
  [left(0, 0, 0), [false, false, false]],
])(
  "of %j there is something to do by itself, by --retry-refused, by --resend-uncertain: %j",
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
])("tells %j in words", (of, expected) => {
  expect(leftText(of)).toBe(expected);
});

it.each([
  [
    left(0, 1, 0),
    "1 row refused; --retry-refused tries those again that were refused, --new begins",
  ],
  [
    left(0, 0, 1),
    "1 row uncertain; --resend-uncertain sends again what may have arrived, --new begins",
  ],
])("says of %j how more could be sent", (of, expected) => {
  const { notes, ...delivery } = nothingMore("there", of);
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
