import { expect, test } from "vitest";
import { toContract } from "../../schemas/contract.ts";
import { withFieldList } from "../../schemas/generators/field-lists.ts";

const group = (columns: Record<string, string>): { file: string; content: unknown }[] => [
  { file: "some.json", content: { title: "Some", tables: { t: { row: "thing", columns } } } },
];

const none = { meanings: {}, columns: {} };

test("a meaning is the column's own, otherwise the shared one, otherwise that of the record field", () => {
  const [table] = toContract(
    group({ a: "bigint: its own: with a colon", b: "varchar", c: "json" }),
    { b: "shared" },
    { meanings: { b: "field b", c: "field c" }, columns: {} },
  );
  expect(table).toMatchObject({ name: "t", group: "Some", row: "thing", isTable: false });
  expect(table!.columns).toEqual([
    { name: "a", type: "bigint", meaning: "its own: with a colon" },
    { name: "b", type: "varchar", meaning: "shared" },
    { name: "c", type: "json", meaning: "field c" },
  ]);
});

test("a column without a meaning, and a shared meaning without a column, are refused by name", () => {
  expect(() => toContract(group({ a: "bigint" }), {}, none)).toThrow("some.json: t.a: expected");
  expect(() => toContract(group({ a: "bigint: x" }), { a: "y" }, none)).toThrow(
    "columns.json: a: no",
  );
});

test("one line inserts the columns of all record fields, in their order", () => {
  const [table] = toContract(
    group({ a: "bigint: own", "...fields": "the record fields", z: "json: last" }),
    {},
    { meanings: { m: "field m", b: "field b" }, columns: { m: "varchar", b: "double" } },
  );
  expect(table!.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "a bigint",
    "m varchar",
    "b double",
    "z json",
  ]);
});

test("a list of record fields in SQL is rebuilt between its marks, and refused without them", () => {
  const fields = {
    id: { type: "text", meaning: "stands for itself" },
    size: { type: "integer", meaning: "in bytes" },
    job: { type: "text", meaning: "of it" },
  } as const;
  const sql = (lines: string): string =>
    `select\n    -- record fields of e: made\n${lines}    -- end of record fields\n    1`;
  expect(withFieldList("x.sql", sql("    e.gone,\n"), fields)).toBe(sql("    e.size, e.job,\n"));
  expect(() => withFieldList("x.sql", "select 1", fields)).toThrow(/^x\.sql: expected "-- record/);
});
