import { BIGINT } from "@duckdb/node-api";
import { getEventListeners } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyToParquet, runStatement } from "../../../../../pipeline/base/sql/select.ts";
import { memoryDatabase, plain, readRows, temporaryFolder } from "../support.ts";

test("types are retained, values are bound, the path may contain quotes", async () => {
  const connection = await memoryDatabase();
  const path = join(temporaryFolder(), "it's $1.parquet");
  writeFileSync(path, "", { mode: 0o600 });
  const sql =
    "-- a; b\nselect range as n, timestamp '2026-01-31' as seen from range($n); -- the end;";
  const bound = plain(sql, { n: { type: BIGINT, value: 3n } });
  expect(await copyToParquet(connection, bound, path)).toEqual({ shown: 3, total: 3 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const back = `select n, seen, typeof(seen) from read_parquet('${path.replaceAll("'", "''")}') order by n`;
  expect(await readRows(await runStatement(connection, plain(back)))).toEqual(
    [0n, 1n, 2n].map((n) => [n, "2026-01-31T00:00:00Z", "TIMESTAMP"]),
  );
});

test.each([
  ["select 9007199254740993::hugeint as a, 1 as b", "9007199254740993", "DECIMAL(38,0)"],
  [
    "select sum(x) as a from (values (9007199254740993), (0)) as t (x); -- end",
    "9007199254740993",
    "DECIMAL(38,0)",
  ],
  [
    `select 18446744073709551617::uhugeint as a, 'x' as "B c"`,
    "18446744073709551617",
    "DECIMAL(38,0)",
  ],
  ["select 9007199254740993 as a", "9007199254740993", "BIGINT"],
  [
    "select list(x) as a from (select sum(9007199254740993) as x)",
    "[9007199254740993]",
    "DECIMAL(38,0)[]",
  ],
  [
    `select {'HUGEINT': 9007199254740993::hugeint, 'a "b': [map {'x': 1::uhugeint}], 'n': null, 'j': '{}'::json} as a`,
    `{'HUGEINT': 9007199254740993, 'a "b': [{x=1}], 'n': NULL, 'j': '{}'}`,
    `STRUCT(HUGEINT DECIMAL(38,0), "a ""b" MAP(VARCHAR, DECIMAL(38,0))[], n INTEGER, j VARCHAR)`,
  ],
  [
    "select [row(9007199254740993::hugeint, 'x')] as a",
    "[{'v1': 9007199254740993, 'v2': x}]",
    "STRUCT(v1 DECIMAL(38,0), v2 VARCHAR)[]",
  ],
  ["select 'HUGEINT'::enum('HUGEINT') as a", "HUGEINT", "VARCHAR"],
  [
    "select interval '1 month -2 days 3.000001 seconds' as a",
    "1 month -2 days 00:00:03.000001",
    "VARCHAR",
  ],
  [
    "select [timestamp '2026-01-01' - timestamp '2026-01-01 00:00:00.000001'] as a",
    "['-00:00:00.000001']",
    "VARCHAR[]",
  ],
])("%s keeps its digits", async (sql, digits, type) => {
  const connection = await memoryDatabase();
  const path = join(temporaryFolder(), "x.parquet");
  for (const limit of ["all", 1] as const) {
    await copyToParquet(connection, plain(sql), path, limit);
    const back = plain(`select cast(a as varchar), typeof(a) from read_parquet('${path}')`);
    expect(await readRows(await runStatement(connection, back))).toEqual([[digits, type]]);
  }
});

test("columns of one name keep their digits, too", async () => {
  const connection = await memoryDatabase();
  const path = join(temporaryFolder(), "x.parquet");
  await copyToParquet(
    connection,
    plain("select 9007199254740993::hugeint as a, 2::hugeint as A"),
    path,
  );
  const back = plain(`select cast(a as varchar) from read_parquet('${path}')`);
  expect(await readRows(await runStatement(connection, back))).toEqual([["9007199254740993"]]);
});

test.each([
  ["select E'it\\'s; done' as a -- b; c", "it's; done"],
  ["select ';' as a;", ";"],
  ["select $$;$$ || 'x;' as a /* ; */ ; ; -- ;", ";x;"],
])("%s keeps its semicolons", async (sql, expected) => {
  const connection = await memoryDatabase();
  const path = join(temporaryFolder(), "x.parquet");
  await copyToParquet(connection, plain(sql), path);
  const back = plain(`select a from read_parquet('${path}')`);
  expect(await readRows(await runStatement(connection, back))).toEqual([[expected]]);
});

test("a limit takes the first rows of the order", async () => {
  const connection = await memoryDatabase();
  const path = join(temporaryFolder(), "x.parquet");
  const sql = plain(
    "with r as (select range as n from range(100000)) select n from r order by n desc",
  );
  expect(await copyToParquet(connection, sql, path, 3)).toEqual({ shown: 3, total: undefined });
  const back = plain(`select n from read_parquet('${path}')`);
  expect(await readRows(await runStatement(connection, back))).toEqual([
    [99999n],
    [99998n],
    [99997n],
  ]);
});

test.each(["drop table t", "select 1; select 2", "select nope"])(
  "the Parquet limit %j is refused",
  async (sql) => {
    const connection = await memoryDatabase();
    await connection.run("create table t as select 1 as a");
    const path = join(temporaryFolder(), "x.parquet");
    await expect(copyToParquet(connection, plain(sql), path)).rejects.toThrow(
      /^(?:only SELECT|one statement|Binder Error)/,
    );
  },
);

test.each(["select 1 as a", "select nope", "select error('late') as a"])(
  "%s leaves no listener behind that would interrupt later results",
  async (sql) => {
    const connection = await memoryDatabase();
    const { signal } = new AbortController();
    const path = join(temporaryFolder(), "x.parquet");
    await copyToParquet(connection, plain(sql), path, "all", signal).catch(() => undefined);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  },
);
