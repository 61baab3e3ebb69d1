import { expect, it } from "vitest";
import type { MarketingCloud } from "../../../../../schemas/connectors/marketing-cloud.ts";
import { newFields } from "../../../../../pipeline/adapters/destinations/marketing-cloud/field.ts";
import type { Column } from "../../../../../pipeline/base/rows/row.ts";

/** Type, length and scale of the field made for a column, with options and without. */
function getType(column: Omit<Column, "name">, option?: string, more: object = {}): unknown[] {
  const options = { column_options: option === undefined ? "" : `c:${option}` };
  const target = { ...options, ...more } as unknown as MarketingCloud;
  const [field] = newFields(target, [{ name: "c", ...column }]);
  return [field!.type, field!.length, field!.scale];
}

const text: Omit<Column, "name"> = { type: "VARCHAR", kind: "text" };
const number = (type: string): Omit<Column, "name"> => ({ type, kind: "number" });

it("makes the field of a column without configuration", () => {
  expect(getType(text)).toEqual(["TEXT", 4000, undefined]);
  expect(getType(number("BIGINT"))).toEqual(["NUMBER", undefined, undefined]);
  expect(getType(number("DECIMAL(12,3)"))).toEqual(["DECIMAL", 12, 3]);
  expect(getType(number("DOUBLE"))).toEqual(["DECIMAL", 38, 10]);
  expect(getType({ type: "BOOLEAN", kind: "boolean" })).toEqual(["BOOLEAN", undefined, undefined]);
  expect(getType({ type: "TIMESTAMP", kind: "time" })).toEqual(["DATE", undefined, undefined]);
});

it("makes the field that column_options describe, with the defaults of its type", () => {
  expect(getType(text, "DECIMAL")).toEqual(["DECIMAL", 18, 0]);
  expect(getType(text, "DECIMAL(9,2)")).toEqual(["DECIMAL", 9, 2]);
  expect(getType(text, "TEXT")).toEqual(["TEXT", 4000, undefined]);
  expect(getType(text, "TEXT(5)")).toEqual(["TEXT", 5, undefined]);
  expect(getType(text, "EMAILADDRESS")).toEqual(["EMAILADDRESS", 254, undefined]);
  expect(getType(text, "NUMBER")).toEqual(["NUMBER", undefined, undefined]);
});

it("makes the primary column a number, or text of the configured length", () => {
  const primary = { primary_column: " c ", primary_text_length: 50 };
  expect(getType(number("BIGINT"), undefined, primary)).toEqual(["NUMBER", undefined, undefined]);
  expect(getType(number("DECIMAL(12,3)"), undefined, primary)).toEqual(["TEXT", 50, undefined]);
  expect(getType(text, "TEXT(5)", primary)).toEqual(["TEXT", 50, undefined]);
});
