import { expect, it } from "vitest";
import { readMoment, readValue, formatValue } from "../../../../pipeline/base/report/values.ts";
import type { ParamType } from "../../../../pipeline/base/sql/question.ts";

const nowMs = Date.UTC(2026, 0, 8, 12);
const dayMs = 86_400_000;

it.each<[ParamType, string, unknown, string, number | undefined]>([
  ["timestamp", "7d", nowMs - 7 * dayMs, "2026-01-01T12:00:00Z", nowMs - 7 * dayMs],
  ["date", "2026-01-02T23:59:59Z", 20_455, "2026-01-02", 20_455 * dayMs],
  ["date", "1969-12-31", -1, "1969-12-31", -dayMs],
  ["text", "true", "true", "true", undefined],
  ["integer", "+0042", "42", "42", undefined],
  ["integer", "9223372036854775807", "9223372036854775807", "9223372036854775807", undefined],
  ["integer", "-9223372036854775808", "-9223372036854775808", "-9223372036854775808", undefined],
  ["number", "-1.", -1, "-1", undefined],
  ["number", ".5E+1", 5, "5", undefined],
  ["boolean", "true", true, "true", undefined],
  ["boolean", "false", false, "false", undefined],
])("%s %j is read, and written back for people", (type, text, value, shown, momentMs) => {
  const read = readValue(type, text, nowMs);
  expect(read).toEqual({ type, value });
  expect([formatValue(read), readMoment(read)]).toEqual([shown, momentMs]);
});

it.each<[ParamType, string, string]>([
  ["integer", "9223372036854775808", "a whole number of 64 bits"],
  ["integer", "-9223372036854775809", "a whole number of 64 bits"],
  ["integer", "", "a whole number of 64 bits"],
  ["integer", "1.0", "a whole number of 64 bits"],
  ["number", "1e999", "a number"],
  ["number", ".", "a number"],
  ["number", "0x1", "a number"],
  ["boolean", "True", "true or false"],
])("no %s is read from %j", (type, text, expected) => {
  expect(() => readValue(type, text, nowMs)).toThrow(`${JSON.stringify(text)} is not ${expected}`);
});

it("a missing value has no text and no moment", () => {
  for (const type of ["timestamp", "date", "integer"] as const)
    expect([formatValue({ type, value: null }), readMoment({ type, value: null })]).toEqual([
      "",
      undefined,
    ]);
});
