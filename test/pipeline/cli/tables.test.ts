import { afterAll, beforeAll, expect, test } from "vitest";
import { contract } from "../../../schemas/generated/contract.ts";
import { newHome, type TestHome } from "../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "sign_in", id: "a" }]);
});
afterAll(() => home[Symbol.dispose]());

const inContract = contract.flatMap(({ name, columns }) =>
  columns.map((column) => ({ table: name, ...column })),
);

test("the published file has every promised column, with its type and meaning", async () => {
  const found = await home.rows(`
    select table_name, column_name, lower(data_type) as type, comment
    from duckdb_columns()
    where not internal and comment is not null
    order by table_oid, column_index`);
  const named = new Map(
    found.map((row) => [`${String(row["table_name"])}.${String(row["column_name"])}`, row]),
  );
  for (const { table, name, type, meaning } of inContract)
    expect(named.get(`${table}.${name}`), `${table}.${name}`).toMatchObject({
      type,
      comment: meaning,
    });
  expect(found).toHaveLength(inContract.length);
});

test("every view has a meaning, and every column of the contract", async () => {
  const promised = new Set(contract.map(({ name }) => name));
  const views = await home.rows("select view_name from duckdb_views() where not internal");
  expect(
    views.filter((row) => !promised.has(String(row["view_name"]))),
    "describe it in schemas/contract",
  ).toEqual([]);
  const columns = await home.rows(`
    select table_name, column_name from duckdb_columns() where not internal and comment is null`);
  expect(
    columns.filter((row) => promised.has(String(row["table_name"]))),
    "describe it in schemas/contract",
  ).toEqual([]);
});

test("the comment of a table states what one row is, also in the file", async () => {
  const found = await home.rows(`
    select view_name as name, comment from duckdb_views() where not internal
    union all
    select table_name, comment from duckdb_tables() where not internal and comment is not null`);
  const comments = Object.fromEntries(found.map((row) => [String(row["name"]), row["comment"]]));
  for (const { name, row } of contract) expect(comments[name], name).toMatch(`One row per ${row}.`);
});

test("meanings stay when the views are recreated", async () => {
  using again = newHome();
  await again.load([{ time: 1_767_225_600, event_name: "sign_in", id: "a" }]);
  await again.load([{ time: 1_767_225_700, event_name: "sign_in", id: "b" }]);
  const described = "select count(*) from duckdb_columns() where comment is not null";
  expect(await again.count(described)).toBe(inContract.length);
});

test("tables lists them without a home", async () => {
  using nothing = newHome();
  const { code, out, err } = await nothing.run(["tables", "--format", "table"]);
  expect(code, err).toBe(0);
  for (const { name } of contract) expect(out).toMatch(new RegExp(`^${name} `, "m"));
  const all = await nothing.run(["tables", "--format", "json"]);
  const rows = JSON.parse(all.out) as { table: string; column: string; meaning: string }[];
  expect(rows.map(({ table, column }) => `${table}.${column}`)).toEqual(
    inContract.map(({ table, name }) => `${table}.${name}`),
  );
});

test("the JSON has every column, with the notes of its table", async () => {
  const { out } = await home.run(["tables", "--format", "csv"]);
  expect(out.split("\r\n")[0]).toBe("table,group,one_row_per,about,column,type,meaning");
});

test("tables NAME lists its columns, in any case of letters", async () => {
  const { out, err } = await home.run(["tables", "Denials", "--format", "json", "--limit", "2"]);
  expect(err).toContain("denials: one row per denied or failed event.");
  expect(JSON.parse(out)).toEqual([
    {
      column: "event_key",
      type: "varchar",
      meaning: "32 hexadecimal digits that identify the event, the same in every load",
    },
    { column: "source", type: "varchar", meaning: "name of the source in the configuration" },
  ]);
  expect(err).toContain("showing 2 of");
});

test("an unknown table is an error with the nearest ones", async () => {
  const { code, err } = await home.run(["tables", "evnts"]);
  expect(code).toBe(2);
  expect(err).toMatch(/no table "evnts"; similar: events, .*auditlake tables lists all\n$/);
});
