import { expect, it } from "vitest";
import { judgeAnswer } from "../../../../../pipeline/adapters/destinations/messaging/session.ts";
import type { Exchange } from "../../../../../pipeline/base/http/exchange.ts";

const answer = (status: number, body: unknown, retryAfterMs?: number): Exchange =>
  ({
    outcome: "answered",
    answer: { status, text: JSON.stringify(body), retryAfterMs },
  }) as Exchange;
const taken = { messages: [{ id: "m1" }] };
const code = (given: number) => ({ error: { code: given } });

const wait = { kind: "wait", afterMs: 5000 };
const refusedKey = { kind: "stop", code: 4 };
const failed = { kind: "stop", code: 1 };
const refused = { kind: "refused" };
const uncertain = { kind: "uncertain" };

it.each<[status: number, body: unknown, verdict: object]>([
  [200, taken, { kind: "accepted" }],
  [299, taken, { kind: "accepted" }],
  [300, taken, { ...failed, why: "answered 300" }],
  [200, {}, { ...uncertain, why: "answered 200 without the outcome of the message" }],
  [200, "no object", uncertain],
  [429, {}, { ...wait, why: "answered 429" }],
  [401, {}, { ...refusedKey, why: "answered 401" }],
  [403, taken, refusedKey],
  [404, {}, { ...failed, why: "answered 404" }],
  [499, {}, failed],
  [500, {}, uncertain],
  [500, code(130_429), { ...wait, why: "answered 500 with code 130429" }],
  ...[2, 4, 80_007, 131_016, 131_048, 131_056, 131_057].map(
    (n) => [400, code(n), wait] as [number, unknown, object],
  ),
  ...[0, 3, 10, 190, 200, 299].map((n) => [400, code(n), refusedKey] as [number, unknown, object]),
  ...[33, 368, 130_497, 131_005, 131_008, 131_031, 131_042, 131_045, 133_010].map(
    (n) => [400, code(n), failed] as [number, unknown, object],
  ),
  ...[132_000, 132_001, 132_007, 132_015, 132_016].map(
    (n) => [400, code(n), failed] as [number, unknown, object],
  ),
  ...[1, 199, 300, 131_026].map((n) => [400, code(n), refused] as [number, unknown, object]),
  [200, code(131_026), { ...refused, why: "answered 200 with code 131026" }],
])("an answer %i with %j is %j", (status, body, verdict) => {
  expect(judgeAnswer(answer(status, body, 5000))).toMatchObject(verdict);
});

it("an error that was never sent is distinguished from one that was lost", () => {
  const cause = { why: "no connection", isFinal: false, fault: new Error("x") };
  expect(judgeAnswer({ outcome: "unsent", ...cause })).toEqual({
    kind: "stop",
    why: cause.why,
    code: 1,
  });
  expect(judgeAnswer({ outcome: "lost", status: undefined, ...cause })).toEqual({
    kind: "uncertain",
    why: cause.why,
  });
});
