import { expect, test } from "vitest";
import { toContract } from "../../schemas/contract.ts";

const group = (columns: Record<string, string>): { file: string; content: unknown }[] => [
  { file: "some.json", content: { title: "Some", tables: { t: { row: "thing", columns } } } },
];

test("a meaning is the column's own, else the shared one, else that of the record field", () => {
  const [table] = toContract(
    group({ a: "bigint: its own: with a colon", b: "varchar", c: "json" }),
    { b: "shared" },
    { b: "field b", c: "field c" },
  );
  expect(table).toMatchObject({ name: "t", group: "Some", row: "thing", isTable: false });
  expect(table!.columns).toEqual([
    { name: "a", type: "bigint", meaning: "its own: with a colon" },
    { name: "b", type: "varchar", meaning: "shared" },
    { name: "c", type: "json", meaning: "field c" },
  ]);
});

test("a column without a meaning, and a shared meaning without a column, are refused by name", () => {
  expect(() => toContract(group({ a: "bigint" }), {}, {})).toThrow("some.json: t.a: expected");
  expect(() => toContract(group({ a: "bigint: x" }), { a: "y" }, {})).toThrow(
    "columns.json: a: no",
  );
});
