import { expect, it } from "vitest";
import { isBurst } from "../../../../pipeline/core/records/burst.ts";

const time = (seconds: number, more = ""): string => `{"time":${seconds}${more}}`;
const findNamed = (seconds: number, id: string): string => time(seconds, `,"id":"${id}"`);

it.each<[is: boolean, what: string, records: readonly string[]]>([
  [true, "one record", [findNamed(1, "a")]],
  [true, "records of one text, with an id too", [findNamed(1, "a"), findNamed(1, "a")]],
  [true, "records of one text without a time", ['{"a":1}', '{"a":1}']],
  [true, "records of one second without ids", [time(1), time(1.9, ',"n":2')]],
  [false, "records of two seconds", [time(1), time(2)]],
  [false, "records of one second with ids", [findNamed(1, "a"), findNamed(1, "b")]],
  [false, "records of one second, one of them with an id", [time(1), findNamed(1, "b")]],
  [false, "records of which one has no time", [time(1), '{"a":1}']],
  [false, "records of several texts without times", ['{"a":1}', '{"a":2}']],
  [
    false,
    "records of which the last is another",
    [findNamed(1, "a"), findNamed(1, "a"), findNamed(1, "b")],
  ],
])("%s: %s", (is, _, records) => {
  const lines = Buffer.from(records.join("\n"));
  expect(isBurst({ bytes: lines, format: "ndjson" }, null)).toBe(is);
  const body = Buffer.from(`{"n":[1],"data":{"audits":[${records.join(" , ")}]}}`);
  expect(isBurst({ bytes: body, format: "json" }, "data.audits")).toBe(is);
});

it("rows of a table are records, too", () => {
  const burst = (text: string): boolean =>
    isBurst({ bytes: Buffer.from(text), format: "csv" }, null);
  expect(burst("time,id\n1,a\n1,a\n")).toBe(true);
  expect(burst("time,n\n1,a\n1.5,b\n")).toBe(true);
  expect(burst("time,id\n1,a\n1,b\n")).toBe(false);
  expect(burst("time,n\n1,a\n2,a\n")).toBe(false);
});
