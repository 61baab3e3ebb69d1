import { describe, expect, it } from "vitest";
import { readServiceMessage } from "../../../../pipeline/core/source/faults.ts";

const scrub = (text: string): string => text.replaceAll("KEY", "***");
const record = { time: 1, event_name: "sign_in", user_id: 7, extra: "CANARY" };
const user = { id: 7, email: "canary@example.com" };

describe("the service's own text of a refusal", () => {
  it.each([
    ["no such account", "no such account"],
    ["first\nsecond", "first"],
    ['{"error":"KEY is not known"}', '{"error":"*** is not known"}'],
    [
      '{\n  "errors": [\n    { "message": "over quota" }\n  ]\n}',
      '{ "errors": [ { "message": "over quota" } ] }',
    ],
    ["x".repeat(300), `${"x".repeat(199)}…`],
    ["x".repeat(200), "x".repeat(200)],
    ["", undefined],
    ["<html>no</html>", undefined],
  ])("%j is shown as %j", (answer, shown) => {
    expect(readServiceMessage(answer, scrub)).toBe(shown);
  });

  it("is not shown if it is records or users, in any form, complete or truncated", () => {
    const bodies = [
      JSON.stringify([record]),
      JSON.stringify([record], null, 2),
      JSON.stringify({ audits: [record], next_page: 2 }),
      `${JSON.stringify(record)}\n${JSON.stringify(record)}\n`,
      JSON.stringify({ users: [user] }),
      JSON.stringify([{ event_name: "sign_in", extra: "CANARY" }]),
      JSON.stringify([{ extra: "CANARY", time: 1 }]),
      JSON.stringify({ extra: "CANARY", time: 1 }),
      String.raw`{"extra":"CANARY","\u0074ime":1}`,
      '{"extra":"CANARY","EMAIL" : "x"}',
      `\ufeff{"error":{"extra":"CANARY","Event_Name":"x"}}`,
    ];
    for (const body of bodies) {
      expect(readServiceMessage(body, scrub), body).toBeUndefined();
      for (let end = 1; end < body.length; end++)
        expect(readServiceMessage(body.slice(0, end), scrub) ?? "").not.toMatch(/canary/i);
    }
  });
});
