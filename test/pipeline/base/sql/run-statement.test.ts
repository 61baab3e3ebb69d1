import {
  BIGINT,
  DuckDBScalarFunction,
  type DuckDBScalarMainFunction,
  DuckDBTimestampValue,
  TIMESTAMP,
  VARCHAR,
} from "@duckdb/node-api";
import { expect, test } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { runStatement } from "../../../../pipeline/base/sql/select.ts";
import { memoryDatabase, plain, readRows } from "../../answers/report/support.ts";

test.each([
  ["1::tinyint", 1, "number"],
  ["9007199254740993", 9007199254740993n, "number"],
  ["170141183460469231731687303715884105727::hugeint", 2n ** 127n - 1n, "number"],
  ["1.50::decimal(10,2)", "1.50", "number"],
  ["-0.05::decimal(38,2)", "-0.05", "number"],
  ["1.5::double", 1.5, "number"],
  ["true", true, "boolean"],
  ["null", null, "number"],
  ["'é'", "é", "text"],
  ["'{\"a\": 1}'::json", '{"a": 1}', "text"],
  ["timestamp '2026-01-31 10:20:30'", "2026-01-31T10:20:30Z", "time"],
  ["timestamp '2026-01-31 10:20:30.120'", "2026-01-31T10:20:30.12Z", "time"],
  ["timestamp '1969-12-31 23:59:59.000001'", "1969-12-31T23:59:59.000001Z", "time"],
  ["timestamptz '2026-01-31 10:20:30+02'", "2026-01-31T08:20:30Z", "time"],
  ["'2026-01-31 10:20:30.123456789'::timestamp_ns", "2026-01-31T10:20:30.123456789Z", "time"],
  ["'2026-01-31 10:20:30'::timestamp_s", "2026-01-31T10:20:30Z", "time"],
  ["'2026-01-31 10:20:30.007'::timestamp_ms", "2026-01-31T10:20:30.007Z", "time"],
  ["'infinity'::timestamp", "infinity", "time"],
  ["'-infinity'::timestamptz", "-infinity", "time"],
  ["'infinity'::date", "infinity", "time"],
  ["'-infinity'::date", "-infinity", "time"],
  ["['infinity'::date]", '["infinity"]', "text"],
  ["date '2026-01-31'", "2026-01-31", "time"],
  ["time '10:20:30'", "10:20:30", "time"],
  ["interval 90 minute", "01:30:00", "text"],
  ["'a'::enum('a', 'b')", "a", "text"],
  ["'\\x00z'::blob", "\\x00z", "text"],
  ["'7f3d0e2a-0000-4000-8000-000000000001'::uuid", "7f3d0e2a-0000-4000-8000-000000000001", "text"],
  ["[1, null, 9007199254740993]", "[1,null,9007199254740993]", "text"],
  ["['a\"b', 'c']", '["a\\"b","c"]', "text"],
  ["['a']::varchar[1]", '["a"]', "text"],
  ["{'a': timestamp '2026-01-31', 'b': [1.50]}", '{"a":"2026-01-31T00:00:00Z","b":[1.50]}', "text"],
  ["{'__proto__': {'y': 1}, 'x': 2}", '{"__proto__":{"y":1},"x":2}', "text"],
  ["{'__proto__': null, 'x': 2}", '{"__proto__":null,"x":2}', "text"],
  ["map {'__proto__': 1}", '{"__proto__":1}', "text"],
  ["map {'k': 1, 'l': null}", '{"k":1,"l":null}', "text"],
  ["union_value(k := 'v')", '"v"', "text"],
  ["{'a': 1}::variant", '{"a":1}', "text"],
  ["['nan'::double]", '["NaN"]', "text"],
])("%s becomes %s", async (expression, cell, kind) => {
  const connection = await memoryDatabase();
  const result = await runStatement(connection, plain(`select ${expression} as x`));
  expect(await readRows(result)).toEqual([[cell]]);
  expect(result.columns).toMatchObject([{ name: "x", kind }]);
});

test.each(["row(1, 2)", "[(1, 'a')]", "{'x': (1, 2)}", "map {'x': (1, 2)}", "map {(1, 2): 'x'}"])(
  "%s is refused, since only one of its unnamed members would remain",
  async (value) => {
    const result = await runStatement(await memoryDatabase(), plain(`select ${value} as x`));
    await expect(readRows(result)).rejects.toThrow(/have no names and cannot be read; name them/);
  },
);

test("a member named __proto__ that cannot be read is refused, never omitted", async () => {
  const result = await runStatement(await memoryDatabase(), plain("select {'__proto__': 1} as x"));
  await expect(readRows(result)).rejects.toThrow(
    /named __proto__ and cannot be read; give it another/,
  );
});

test("values are bound, never pasted", async () => {
  const connection = await memoryDatabase();
  await connection.run("create table t as select 'x' as name");
  const sql =
    "select count(*) from t where ($name is null or name = $name) and $at < now()::timestamp";
  const at = { type: TIMESTAMP, value: new DuckDBTimestampValue(0n) };
  const count = async (name: string | null) =>
    readRows(
      await runStatement(connection, plain(sql, { name: { type: VARCHAR, value: name }, at })),
    );
  expect(await count("x")).toEqual([[1n]]);
  expect(await count(null)).toEqual([[1n]]);
  expect(await count("x' or '1' = '1")).toEqual([[0n]]);
  expect(await count("'; drop table t; --")).toEqual([[0n]]);
  expect(await count("x")).toEqual([[1n]]);
});

const bound = { n: { type: BIGINT, value: 1n } };

test.each([
  ["", /contains no statement; expected one SELECT/],
  ["-- nothing", /contains no statement/],
  ["select 1; select 2", /^one statement is run at a time, found 2$/],
  ["drop table t", /^only SELECT is run \(also .*\), found DROP;/],
  ["explain analyze select 1", /^EXPLAIN is not accepted/],
  ["copy (select 1) to '/dev/null'", /found COPY/],
  ["select $m", /the SQL uses \$m, which no "-- param:" line declares/],
  ["select 1", /parameter n is declared but the SQL does not use \$n/],
  ["select $n\nfrom nowhere", /nowhere does not exist.* \(line 2 of the statement\)$/],
  ["selec 1", /^Parser Error: syntax error at or near "selec" \(line 1 of the statement\)$/],
])("the statement %j is refused", async (sql, message) => {
  const connection = await memoryDatabase();
  await connection.run("create table t as select 1 as a");
  const act = runStatement(connection, plain(sql, bound));
  await expect(act).rejects.toThrow(AuditlakeError);
  await expect(act).rejects.toThrow(message);
});

test("an error in the middle of the rows shows no values of rows", async () => {
  const connection = await memoryDatabase();
  await connection.run(
    "create table t as select case when range = 5000 then 'it''s'||chr(10)||'secret' else '1' end as s from range(9000)",
  );
  const act = runStatement(connection, plain("select s::integer as n from t")).then(readRows);
  await expect(act).rejects.toThrow(/^Conversion Error: Could not convert string '…' to INT32/);
  await expect(act).rejects.not.toThrow(/secret/);
});

// The driver ends a result that fails far from its beginning as if all rows had been read.
const late = "case when range = 900000 then error('secret') else 'x' end as s from range(1000000)";

test("a query that fails after many rows is an error, not a short result", async () => {
  const connection = await memoryDatabase();
  const values = { least: { type: BIGINT, value: 0n } };
  const result = await runStatement(
    connection,
    plain(`select ${late} where range >= $least`, values),
  );
  let rows = 0;
  const reading = async (): Promise<void> => {
    for await (const batch of result.batches) rows += batch.length;
  };
  await expect(reading()).rejects.toThrow(AuditlakeError);
  expect(rows).toBeGreaterThan(2048);
  expect(rows).toBeLessThan(900_000);
});

test("a query that fails late inside a transaction is an error, not a short result", async () => {
  const connection = await memoryDatabase();
  await connection.run("begin");
  const act = runStatement(connection, plain(`select ${late}`)).then(readRows);
  await expect(act).rejects.toThrow(/^the database stopped the query before its last row/);
});

test("a query that exceeds the memory limit reports what to do", async () => {
  const connection = await memoryDatabase();
  await connection.run("set memory_limit = '20MB'");
  await connection.run("set temp_directory = ''");
  const sql = "select md5(range::varchar) as k from range(3000000) order by k";
  await expect(runStatement(connection, plain(sql)).then(readRows)).rejects.toThrow(
    /^Out of Memory Error: [^;]+; raise memory_limit in the configuration$/,
  );
});

test("a query that is interrupted after many rows is an error, not a short result", async () => {
  const connection = await memoryDatabase();
  const controller = new AbortController();
  const sql = "select a.range from range(100000) as a, range(1000) as b";
  const result = await runStatement(connection, plain(sql), controller.signal);
  const reading = async (): Promise<void> => {
    for await (const batch of result.batches) if (batch.length > 0) controller.abort();
  };
  await expect(reading()).rejects.toThrow();
});

test("repeated names are made distinct", async () => {
  const connection = await memoryDatabase();
  const sql = plain('select 1 as a, 2 as a, 3 as "a:1", 4 as a');
  const { columns } = await runStatement(connection, sql);
  expect(columns.map(({ name }) => name)).toEqual(["a", "a:1", "a:1:1", "a:2"]);
});

test("a result can be abandoned, and the connection stays usable", async () => {
  const connection = await memoryDatabase();
  const sql = "select a.range from range(100000) as a, range(1000) as b";
  for await (const batch of (await runStatement(connection, plain(sql))).batches) {
    expect(batch.length).toBeGreaterThan(0);
    break;
  }
  expect(await readRows(await runStatement(connection, plain("select 42 as a")))).toEqual([[42]]);
});

test("the signal interrupts a long query", async () => {
  const connection = await memoryDatabase();
  const controller = new AbortController();
  // The database calls it for the first rows that it looks at.
  const mainFunction: DuckDBScalarMainFunction = (_info, _rows, output) => {
    output.flush();
    controller.abort();
  };
  const started = { name: "started", returnType: BIGINT, parameterTypes: [BIGINT], mainFunction };
  connection.registerScalarFunction(DuckDBScalarFunction.create(started));
  const sql = "select sum(started(a.range)) from range(1000000) as a, range(1000000) as b";
  const act = runStatement(connection, plain(sql), controller.signal).then(readRows);
  await expect(act).rejects.toThrow(/Interrupt/i);
});
