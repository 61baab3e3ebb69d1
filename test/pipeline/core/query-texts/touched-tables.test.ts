import { expect, test } from "vitest";
import type { Dialect } from "../../../../pipeline/core/query-texts/language.ts";
import { ownDatabase } from "./texts.ts";
import { read, listTables } from "./reader.ts";

// Each text with what it touches: statement, kind and access of tables, then the columns that can be determined.
test.each<[dialect: Dialect, text: string, touched: string[]]>([
  ["hive", "use crm; select 1 from b", ["2 select crm.b read"]],
  ["hive", "drop database crm cascade", ["1 drop crm.null written"]],
  ["hive", "drop view crm.v", ["1 drop crm.v written"]],
  ["hive", "show tables", []],
  [
    "hive",
    "update t set a = b, c = 2 where d = 1",
    ["1 update t written", "t.a written", "t.b", "t.c written", "t.d"],
  ],
  [
    "hive",
    "merge into t using u on t.k = u.k when matched then update set a = u.a when not matched then insert values (u.k, u.a)",
    ["1 merge t written", "1 merge u read", "t.k", "u.k", "t.a written", "u.a"],
  ],
  [
    "hive",
    "insert into db.t (a, B) select c from u where a = 1",
    ["1 insert db.t written", "1 insert u read", "db.t.a written", "db.t.b written", "u.c", "u.a"],
  ],
  [
    "hive",
    "from s insert into t (a) select x insert overwrite table v select y",
    ["1 insert s read", "1 insert t written", "1 insert v written", "t.a written", "s.x", "s.y"],
  ],
  [
    "hive",
    "with t as (select 1 as k from s) insert into t (a) select k from t",
    ["1 insert s read", "1 insert t written"],
  ],
  ["hive", "insert overwrite directory '/x' select a from t", ["1 select t read", "t.a"]],
  [
    "hive",
    "select x.a from t x lateral view explode(xs) lv as y where y > 1",
    ["1 select t read", "t.a", "t.xs"],
  ],
  [
    "hive",
    "select lv.y from t lateral view explode(xs) lv as y where t.a > 1",
    ["1 select t read", "t.xs", "t.a"],
  ],
  ["hive", "select u.* from t, u", ["1 select t read", "1 select u read", "u.*"]],
  ["hive", "with q as (select a from s) select a, b from q", ["1 select s read", "s.a"]],
  ["hive", "select a as n from t order by n", ["1 select t read", "t.a"]],
  ["hive", "select a from t group by a having count(b) > 1", ["1 select t read", "t.a", "t.b"]],
  ["hive", "select address.city, xs[k] from t", ["1 select t read", "t.address", "t.xs", "t.k"]],
  [
    "hive",
    "select a from (select b as a, c from s) q where q.c = 1",
    ["1 select s read", "s.b", "s.c"],
  ],
  [
    "hive",
    "select x.a from uniquejoin preserve t x (x.k), u y (y.k)",
    ["1 select t read", "1 select u read", "t.a", "t.k", "u.k"],
  ],
  [
    "hive",
    "create view v as select a from t",
    ["1 create_view t read", "1 create_view v written", "t.a"],
  ],
  ["hive", "load data inpath '/x' into table t", ["1 load t written"]],
  ["hive", "load data inpath '/x' overwrite into table t", ["1 load_overwrite t written"]],
  ["trino", "create table t (a int)", ["1 create_table t written"]],
  ["trino", "create or replace table t (a int)", ["1 replace_table t written"]],
  [
    "trino",
    "create or replace table t as select a from u",
    ["1 replace_table t written", "1 replace_table u read", "u.a"],
  ],
  ["trino", "create or replace view t as select 1 as a", ["1 create_view t written"]],
  ["hive", "create table t like u", ["1 create_table t written"]],
  [
    "hive",
    "create table t as select a from u",
    ["1 create_table_as t written", "1 create_table_as u read", "u.a"],
  ],
  ["hive", "alter table t add columns (z int)", ["1 alter t written"]],
  ["hive", "alter table t drop partition (d = '1')", ["1 alter_drop t written"]],
  ["hive", "analyze table t compute statistics", ["1 analyze t read"]],
  ["hive", "msck repair table t", ["1 alter t written"]],
  ["hive", "load data inpath '/x' into table db.t", ["1 load db.t written"]],
  ["hive", "export table t to '/x'", ["1 select t read"]],
  ["hive", "select 1 from (values (1, 2)) as v (a, b) where a = 1", []],
  [
    "hive",
    "select a from t union all select b from u order by a",
    ["1 select t read", "1 select u read", "t.a", "u.b"],
  ],
  ["hive", "select a from lake.db.t", ["1 select lake.db read", "lake.db.a"]],
  ["trino", "table a.b", ["1 select a.b read", "a.b.*"]],
  [
    "trino",
    "select * from table(my_function(input => table(a.b)))",
    ["1 select a.b read", "a.b.*"],
  ],
  [
    "trino",
    "select x.a from (t join u on t.k = u.k) x",
    ["1 select t read", "1 select u read", "t.k", "u.k"],
  ],
  ["trino", "select q.b from t as q (a, b)", ["1 select t read"]],
  ["trino", "select q.b from (select c, d from s) as q (a, b)", ["1 select s read", "s.c", "s.d"]],
  [
    "trino",
    "select y, z from t, lateral (select u.z from u where u.k = t.k) l",
    ["1 select t read", "1 select u read", "u.z", "u.k", "t.k"],
  ],
  [
    "trino",
    "merge into t as m using u on m.k = u.k when matched then update set a = u.a when not matched then insert (k, a) values (u.k, u.a)",
    ["1 merge t written", "1 merge u read", "t.k", "u.k", "t.a written", "u.a", "t.k written"],
  ],
  ["trino", "select (t.a).b from t", ["1 select t read", "t.a"]],
  [
    "trino",
    "select count(*) from t group by a having max(b) > 1",
    ["1 select t read", "t.a", "t.b"],
  ],
  ["trino", "create function f(x int) returns int return x + 1", []],
  ["trino", "select t.*, 1 from lake.db.t", ["1 select db.t read", "db.t.*"]],
  ["trino", "with q (n) as (select a from s) select n, m from q", ["1 select s read", "s.a"]],
  [
    "trino",
    "create materialized view v as select a from t",
    ["1 create_view t read", "1 create_view v written", "t.a"],
  ],
  ["trino", "refresh materialized view v", ["1 alter v written"]],
  ["trino", "analyze t", ["1 analyze t read"]],
  ["trino", "alter table t rename to u", ["1 alter t written", "1 alter u written"]],
  ["trino", "alter table t drop column c", ["1 alter_drop t written"]],
  ["trino", "comment on table t is 'x'", ["1 alter t written"]],
  ["trino", "drop view v", ["1 drop v written"]],
  ["trino", "prepare p from select a from t", ["1 select t read", "t.a"]],
  ["trino", "use a.b; drop table c", ["2 drop b.c written"]],
  ["trino", 'select "A ""b""" from t', ["1 select t read", 't.a "b"']],
])("%s: %s", (dialect, text, touched) => {
  const reading = read(text, dialect);
  const tables = listTables(reading).map((line) => line.replace(`${ownDatabase}.`, ""));
  const columns = reading.columns.map(({ database, table, column, access }) => {
    const name = `${database === null ? "" : `${database}.`}${table}.${column}`;
    return access === "written" ? `${name} written` : name;
  });
  expect([reading.state, ...tables, ...columns]).toEqual(["parsed", ...touched]);
});
