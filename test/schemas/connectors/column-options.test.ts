import { describe, expect, it } from "vitest";
import {
  ColumnOptionsError,
  columnTypes,
  parseColumnOptions,
} from "../../../schemas/connectors/column-options.ts";

// Seed 002, A, column_options: the grammar `<col>:<TYPE>[(<args>)];<col>:<TYPE>...`.

describe("the text of column_options", () => {
  it("has the form <col>:<TYPE>[(<args>)];<col>:<TYPE>...", () => {
    expect(parseColumnOptions("a:TEXT(50); b c:DECIMAL(18, 2);d:e:DATE")).toEqual([
      { column: "a", type: "TEXT", length: 50 },
      { column: "b c", type: "DECIMAL", length: 18, scale: 2 },
      { column: "d:e", type: "DATE" },
    ]);
  });

  it("knows the ten types", () => {
    expect([...columnTypes].toSorted()).toEqual(
      "BASE16ENCRYPTED BASE16ENCRYPTEDEMAIL BOOLEAN DATE DECIMAL EMAILADDRESS LOCALE NUMBER PHONE TEXT".split(
        " ",
      ),
    );
    const text = columnTypes.map((type, at) => `c${at}:${type}`).join(";");
    expect(parseColumnOptions(text).map(({ type }) => type)).toEqual([...columnTypes]);
  });

  it.each([
    ["a", '"a" is not a column with its type'],
    ["a:TEXT;", '"" is not a column with its type'],
    [";a:TEXT", '"" is not a column with its type'],
    [":TEXT", "is not a column with its type"],
    ["a:LONG", "column a has type LONG; expected TEXT, NUMBER, DATE,"],
    ["a:text", "column a has type text; expected TEXT"],
    ["a:TEXT(0)", "expected TEXT(length), a length of 1 to 4000"],
    ["a:TEXT(4001)", "expected TEXT(length), a length of 1 to 4000"],
    ["a:TEXT(1,2)", "expected TEXT(length)"],
    ["a:TEXT()", "expected TEXT(length)"],
    ["a:DECIMAL(5)", "expected DECIMAL(precision,scale)"],
    ["a:DECIMAL(39,1)", "expected DECIMAL(precision,scale), a precision of 1 to 38"],
    ["a:DECIMAL(5,6)", "expected DECIMAL(precision,scale)"],
    ["a:DECIMAL(x,y)", "expected DECIMAL(precision,scale)"],
    ["a:NUMBER(5)", "expected NUMBER without arguments"],
    ["a:DATE(1)", "expected DATE without arguments"],
    ["a:TEXT;a:DATE", "column a occurs twice"],
  ])("is refused as %s", (column_options, message) => {
    expect(() => parseColumnOptions(column_options)).toThrow(ColumnOptionsError);
    expect(() => parseColumnOptions(column_options)).toThrow(message);
  });
});
