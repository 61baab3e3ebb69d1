import { expect, test } from "vitest";
import { readPatchResult } from "../../../../pipeline/core/source/client.ts";
import { answerRequest } from "../../base/http/answered.ts";

// What the status of an answer to a PATCH means, from the first that takes it to the first redirect.

const url = new URL("http://127.0.0.1/v3/access_control/policies/7/permissions");

test.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
  [399, false],
])("a PATCH answered with status %i", (status, accepted) => {
  expect(readPatchResult(answerRequest(status), url).accepted).toBe(accepted);
});

test.each([
  [300, true],
  [399, true],
  [400, false],
])("a PATCH answered with status %i is reported as a redirect: %s", (status, isReported) => {
  const patched = readPatchResult(answerRequest(status), url);
  expect(!patched.accepted && patched.why.includes("a redirect; redirects are not followed")).toBe(
    isReported,
  );
});
