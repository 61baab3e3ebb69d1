import { expect, test } from "vitest";
import { getAnswer } from "../../../../../pipeline/adapters/destinations/marketing-cloud/session.ts";
import { explainAnswer } from "../../../../../pipeline/adapters/destinations/marketing-cloud/tally.ts";
import { answerRequest } from "../../../base/http/answered.ts";

// Which statuses take what was sent: 200 to 299, and no other.

test.each([
  [199, "hopeless"],
  [200, "taken"],
  [299, "taken"],
  [300, "hopeless"],
  [400, "failed"],
])("a batch that is answered %i is %s", (status, kind) => {
  expect(explainAnswer(answerRequest(status), "batch 1").kind).toBe(kind);
});

test.each([200, 299])("a call that is answered %i gives its answer", (status) => {
  const found = answerRequest(status, "text");
  expect(getAnswer(found, "looking up folders", () => "")).toBe(found.answer);
});

test.each([199, 300])("a call that is answered %i fails", (status) => {
  expect(() => getAnswer(answerRequest(status), "looking up folders", () => "")).toThrow(
    `looking up folders answered ${status}`,
  );
});
