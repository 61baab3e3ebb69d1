import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { refusalsUnder200 } from "../../../../../fixtures/destinations/refusals.ts";
import { findRefusal } from "../../../../../pipeline/adapters/destinations/webhook/refusal.ts";
import { newSetting, people, times } from "./setting.ts";

const getRefusal = (body: unknown): string | undefined =>
  findRefusal({ text: typeof body === "string" ? body : JSON.stringify(body) });

// What receivers answer that took the request.
const taken: readonly unknown[] = [
  "",
  "ok",
  "OK",
  "1",
  "0",
  "true",
  "null",
  '"ok"',
  "{}",
  "[]",
  "No errors",
  "accepted for delivery, no error so far",
  { ok: true },
  { ok: true, error: null, warning: "missing_charset" },
  { success: true, errors: [], failed: 0 },
  { success: "true", error: "" },
  { errcode: 0, errmsg: "ok" },
  { code: 0, msg: "success", StatusCode: 0, StatusMessage: "success" },
  { code: 200, status: "ok" },
  { status: 1, request: "647d" },
  { status: 201 },
  { statusCode: 202, isSuccessStatusCode: true, requestMessage: null },
  { text: "Success", code: 0 },
  { took: 3, errors: false, items: [{ index: { status: 201 } }] },
  { data: { id: "5" } },
  { result: "success", msg: "" },
  { name: "spaces/A/messages/B", text: "auditlake: nightly failed", sender: { type: "BOT" } },
  { id: "12", state: "queued" },
  // An echo of the rows, whose columns mean something else.
  { received: { job: "nightly", state: "failed", exit_code: 1, error: "x" } },
  { rows: [{ event_result: "denied", success: false, error: "denied" }] },
  { json: { ok: false }, data: '{"ok":false}', url: "https://echo.example" },
  "thank you, invalid rows would have been refused",
  "<ok/>",
];

test.each(refusalsUnder200)("200 with $body is a refusal", ({ body }) =>
  expect(getRefusal(body)).toBeDefined(),
);

test.each(taken.map((body) => [body]))("200 with %j is not a refusal", (body) =>
  expect(getRefusal(body)).toBeUndefined(),
);

test("a refusal is found in every spelling of its name and beside any other member (seed 11)", () => {
  const cases = (name: string): string[] => [
    name,
    name.toUpperCase(),
    name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    name.replaceAll("_", "-"),
  ];
  const findNamed = (names: readonly string[], values: readonly unknown[]) =>
    fc.record({
      name: fc.constantFrom(...names.flatMap(cases)),
      value: fc.constantFrom(...values),
    });
  const refusal = fc.oneof(
    findNamed(["ok", "success", "is_success", "delivered"], [false, 0, "false"]),
    findNamed(["error", "errors", "error_message", "fault"], ["x", { a: 1 }, ["x"], true]),
    findNamed(["errcode", "error_code"], [7, -1, "7"]),
    findNamed(["status", "result"], ["error", "FAILED", "rejected", 500, "503"]),
  );
  const harmless = fc.dictionary(fc.constantFrom("id", "message", "time", "count"), fc.jsonValue());
  fc.assert(
    fc.property(refusal, harmless, fc.boolean(), ({ name, value }, more, isWrapped) => {
      const own = { ...more, [name]: value };
      expect(getRefusal(more)).toBeUndefined();
      expect(getRefusal(isWrapped ? { response: own } : own)).toBeDefined();
    }),
    { seed: 11, numRuns: 1000 },
  );
});

describe("a receiver that refuses under 200", () => {
  const perhaps = { accepted: 1, refused: 0, uncertain: 2, outcome: "partial" };

  it.each([
    ["webhook", {}],
    ["chat", { body: "text", secret: undefined }],
  ])("leaves the batch of a %s uncertain; it is resent on request only", async (_, more) => {
    for (const answer of refusalsUnder200) {
      await using setting = await newSetting();
      const taken = { status: 200, body: "ok" };
      const first = times(1, answer);
      setting.receiver.fault(() => first() ?? taken);
      const send = (again = {}) => setting.deliver(people(3), more, "kept", undefined, again);
      expect(await send(), answer.body).toMatchObject(perhaps);
      const before = setting.receiver.calls.length;
      expect(await send()).toMatchObject(perhaps);
      expect(setting.receiver.calls).toHaveLength(before);
      expect(await send({ resendUncertain: true })).toMatchObject({ outcome: "delivered" });
    }
  });
});
