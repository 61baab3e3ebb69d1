import { expect, test } from "vitest";
import type { Dialect } from "../../../../pipeline/core/query-texts/language.ts";
import type { Reading } from "../../../../pipeline/core/query-texts/read-statements.ts";
import { read, listTables } from "./reader.ts";

const listColumns = ({ columns }: Reading): string[] =>
  columns.map(
    ({ database, table, column, access }) =>
      `${database === null ? "" : `${database}.`}${table}.${column}${access === "written" ? " written" : ""}`,
  );

test.each<[text: string, columns: string[]]>([
  ["select a, x.b from db.t x where c > 1 order by d", ["db.t.a", "db.t.b", "db.t.c", "db.t.d"]],
  ["select a as n from t order by n", ["t.a"]],
  ["select t.a, u.b, c from t join u on t.k = u.k", ["t.a", "u.b", "t.k", "u.k"]],
  ["select t from t", ["t.t"]],
  ["select * from t", ["t.*"]],
  ["select u.* from t, u", ["u.*"]],
  ["select 1 from u where exists (select 1 from (select a from s) where a = u.k)", ["s.a", "u.k"]],
  ["with t as (select a from s) select a, b from t", ["s.a"]],
  ["select filter(xs, e -> e > y) from t", ["t.xs", "t.y"]],
  ["select a, y from t cross join unnest(xs) as q (y)", ["t.xs", "t.a"]],
  ["select a from t where exists (select 1 from u where u.k = t.k)", ["u.k", "t.a", "t.k"]],
  ["select address.city, t.address.zip from t", ["t.address", "t.address"]],
  ["insert into t (a, b) select c, d from u", ["u.c", "u.d", "t.a written", "t.b written"]],
  ["update t set a = b where c = 1", ["t.a written", "t.b", "t.c"]],
  ["delete from db.t where a = 1", ["db.t.a"]],
  ["select a from t union select b from u order by 1", ["t.a", "u.b"]],
])("columns that can be determined: %s", (text, columns) => {
  expect(listColumns(read(text)).sort()).toEqual([...new Set(columns)].sort());
});

test.each<[text: string, dialect: Dialect, tables: string[]]>([
  // Two line breaks as two characters each, of which the first ends a comment.
  ["-- by night\\nselect a\\nfrom b", "trino", ["1 select own_db.b read"]],
  ["explain select * from a", "trino", []],
  ["explain analyze select * from a", "trino", ["1 select own_db.a read"]],
  ["explain select * from a", "hive", []],
  ["explain extended insert overwrite table b select * from a", "hive", []],
  ["explain analyze select * from a", "hive", ["1 select own_db.a read"]],
  ["EXPLAIN  ANALYZE\ndrop table a", "hive", ["1 drop own_db.a written"]],
  ["use crm; select 1 from b", "trino", ["2 select crm.b read"]],
  ["drop schema crm cascade", "trino", ["1 drop crm.null written"]],
  ["create table a (like b, c int)", "trino", ["1 create_table own_db.a written"]],
  ["show create table a", "trino", []],
  [
    "select 1 from a; insert overwrite table b select 1 from c",
    "trino",
    [
      "1 select own_db.a read",
      "2 insert_overwrite own_db.b written",
      "2 insert_overwrite own_db.c read",
    ],
  ],
  ["insert overwrite directory '/x' select * from a", "hive", ["1 select own_db.a read"]],
  ["with recursive r (n) as (select 1 union all select n from r) select * from r", "trino", []],
  ["", "trino", []],
  ["-- nothing but words", "hive", []],
])("%s", (text, dialect, tables) => {
  const reading = read(text, dialect);
  expect({ state: reading.state, tables: listTables(reading) }).toEqual({
    state: "parsed",
    tables,
  });
});
