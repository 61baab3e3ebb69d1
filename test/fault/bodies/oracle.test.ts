import { expect, test } from "vitest";
import { readCount } from "./oracle.ts";

const count = (text: string, format: "json" | "ndjson" | "csv"): number | undefined =>
  readCount(Buffer.from(text), format);

test.each([
  ["[]", 0],
  ['[{"a":1},{"b":[1,{"c":2}]}]', 2],
  [' {"n":2,"audits":[{"a":"},{"},{"b":"\\""}],"tags":["x","y"]} ', 2],
  ['{"audits":[],"next_page":null}', 0],
  ["[{a:1},{nan}]", 2],
])("a whole body of JSON: %s", (text, records) => {
  expect(count(text, "json")).toBe(records);
});

test.each(["", "[", '[{"a":1},{"b":2}', '[{"a":1}', '[{"a":"x]', '[{"a":1}] [', '{"audits":[{}]'])(
  "JSON that is cut off or continues: %s",
  (text) => {
    expect(count(text, "json")).toBeUndefined();
  },
);

test("JSON lines and CSV rows", () => {
  expect(count('{"a":1}\n \r\n{"b":2}', "ndjson")).toBe(2);
  expect(count('{"a":1}\n{"b":', "ndjson")).toBeUndefined();
  expect(count('{"a":1}\n{"b":\n', "ndjson")).toBe(2);
  expect(count('{"a":1}\n{"b":NaN}', "ndjson")).toBe(2);
  expect(count('{"a":1}\n{"b":{"c":"}"}', "ndjson")).toBeUndefined();
  expect(count('{"a":1}\n{"b":1}{', "ndjson")).toBeUndefined();
  expect(count('time,a\n1,"x\ny"\n2,z\n', "csv")).toBe(2);
  expect(count("time,a\n1", "csv")).toBeUndefined();
});
