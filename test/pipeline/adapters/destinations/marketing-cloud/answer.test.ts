import { expect, it } from "vitest";
import { z } from "zod";
import {
  readErrorCode,
  readErrorMessage,
  parseAs,
} from "../../../../../pipeline/adapters/destinations/marketing-cloud/answer.ts";

const schema = z.object({ a: z.object({ b: z.number() }) });

it.each([
  ['{"a":{"b":"CANARY"}}', "the call answered in an unexpected format (a.b); check"],
  ["CANARY", "the call answered in an unexpected format; check the addresses of the target"],
])("prints nothing of the answer %j, and names the unexpected key", (text, expected) => {
  expect(parseAs(schema, '{"a":{"b":1}}', "the call")).toEqual({ a: { b: 1 } });
  const read = (): unknown => parseAs(schema, text, "the call");
  expect(read).toThrow(expected);
  expect(read).not.toThrow("CANARY");
});

it.each([
  [{ errorcode: 10006, message: "bad\nrow" }, " (error 10006)", String.raw`: bad\u000arow`],
  [
    { errorcode: "x".repeat(50), message: "y".repeat(300) },
    ` (error ${"x".repeat(40)})`,
    `: ${"y".repeat(200)}`,
  ],
  [{}, "", ""],
  [[], "", ""],
])("shows of %j its code and message, in a line of limited length", (body, code, message) => {
  const text = JSON.stringify(body);
  expect([readErrorCode(text), readErrorMessage(text)]).toEqual([code, message]);
});
