import { expect, test } from "vitest";
import {
  count,
  nullable,
  oneOf,
  readRow,
  text,
  truth,
} from "../../../../pipeline/base/sql/typed-rows.ts";

test("a row is read by its shape, each name from its column", () => {
  const shape = { userId: text, databaseId: nullable(text), isOwn: truth, uses: count };
  const row = { user_id: "7", database_id: null, is_own: false, uses: 12n, other: 1 };
  expect(readRow(row, shape)).toEqual({ userId: "7", databaseId: null, isOwn: false, uses: 12 });
});

test.each([
  ["a null that the shape does not allow", { n: null }, { n: text }, "n is null"],
  ["a column that the row does not have", {}, { userId: text }, "user_id is null"],
  ["a number that is not exact", { n: 2n ** 60n }, { n: count }, "n is not an integer"],
  ["a word that is not expected", { n: "x" }, { n: oneOf(["a", "b"]) }, "n is not one of a, b"],
  ["a text in place of a boolean", { n: "true" }, { n: truth }, "n is not a boolean"],
])("readRow refuses %s", (_what, row, shape, message) => {
  expect(() => readRow(row, shape)).toThrow(message);
});
