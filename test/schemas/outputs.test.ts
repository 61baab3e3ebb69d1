import { describe, expect, it } from "vitest";
import { outputs } from "../../schemas/outputs.ts";

function fault(given: unknown): string {
  const issue = outputs.safeParse(given).error?.issues[0];
  return issue === undefined ? "" : `${issue.path.join(".")}: ${issue.message}`;
}

describe("seed 002, D, the form of the mapping", () => {
  it("rule 1: all columns unless some are chosen", () => {
    expect(outputs.parse({})).toMatchObject({ columns: "all", string_builder: [] });
    expect(fault({ columns: [] })).not.toBe("");
    expect(fault({ columns: ["a", { column: "b", as: "c" }, { column: "d" }] })).toBe("");
  });

  it("rule 1: an output name is unique", () => {
    expect(fault({ columns: ["a", { column: "b", as: "a" }] })).toBe(
      ': the output name "a" is given twice; expected each once',
    );
    expect(fault({ columns: ["a"], string_builder: [{ as: "a", value: "timestamp" }] })).toMatch(
      /given twice/,
    );
  });

  it("rule 2: the five string builder values", () => {
    const values = ["timestamp", "segment_id", "segment_name"].map((value) => ({
      as: value,
      value,
    }));
    expect(fault({ string_builder: [{ as: "s", value: "string", text: "any" }, ...values] })).toBe(
      "",
    );
    const audience = { string_builder: [{ as: "a", value: "audience_id" }] };
    expect(fault({ ...audience, segment: { audience_id: "17" } })).toBe("");
    expect(fault(audience)).toMatch(/^segment.audience_id: found nothing; expected the number/);
  });

  it("rule 2: a string needs its text, and there is no sixth value", () => {
    expect(fault({ string_builder: [{ as: "s", value: "string" }] })).toMatch(
      /^string_builder.0: /,
    );
    expect(fault({ string_builder: [{ as: "s", value: "uuid" }] })).toMatch(/audience_id/);
  });
});
