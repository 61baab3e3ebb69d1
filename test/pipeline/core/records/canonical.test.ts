import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { writeJson, parseKeepingNumbers } from "../../../../pipeline/core/records/canonical.ts";

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[0-9]{${min},${max}}$`));
const whole = fc.oneof(fc.constant("0"), fc.stringMatching(/^[1-9][0-9]{0,20}$/));
const written = fc
  .tuple(
    fc.constantFrom("", "-"),
    whole,
    fc.option(digits(1, 20)),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "E-"), digits(1, 3))),
  )
  .map(
    ([sign, before, after, power]) =>
      `${sign}${before}${after === null ? "" : `.${after}`}${power === null ? "" : power.join("")}`,
  );
const space = fc.constantFrom("", " ", "\n");

it("each number is returned as it was written, in any position (seed 1)", () => {
  const documents = fc.tuple(written, written, space, space);
  fc.assert(
    fc.property(documents, ([a, b, left, right]) => {
      const spaced = `{"a":${left}${a}${right},"b":[${left}${b}${right},"12:59:36.000Z",{"c":${a}${right}}]}`;
      const plain = `{"a":${a},"b":[${b},"12:59:36.000Z",{"c":${a}}]}`;
      expect(writeJson(parseKeepingNumbers(spaced))).toBe(plain);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

it("numbers cost no time: records full of them are read at full speed", () => {
  const parse = vi.spyOn(JSON, "parse");
  const record = '{"time":1767225576,"scheduled_time":"2026-01-01T00:59:36.000Z","list":[1,2.5]}';
  try {
    parseKeepingNumbers(record);
    expect(parse.mock.calls).toEqual([[record]]);
  } finally {
    parse.mockRestore();
  }
});
