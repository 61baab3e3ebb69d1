import type { DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contract } from "../../../../schemas/generated/contract.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { getMessage } from "../../../../pipeline/base/errors.ts";
import { chooseHidden } from "../../../../pipeline/core/sandbox/hidden.ts";
import { openLocked } from "../../../../pipeline/core/sandbox/limits.ts";
import { prepareSelect } from "../../../../pipeline/base/sql/gate.ts";
import { replaceBySource } from "../../../../pipeline/core/store/limit-to-source.ts";
import type { TestHome } from "../../../support/home.ts";
import { sqlTask } from "../../../support/sql-task.ts";
import { homeOfTwoSources, otherMark } from "../../../support/two-sources.ts";

// A connection like that of a query process, with statements that might bypass the views of one source.

let home: TestHome;
let path: string;
let connection: DuckDBConnection;
let tables: string[];
beforeAll(async () => {
  home = await homeOfTwoSources();
  path = resolveHome(home.home).published;
  const limits = { maxRows: 1, memoryLimit: "1GB", threads: 1 };
  const request = { ...sqlTask(path, ""), ...limits, source: "a" };
  const hidden = chooseHidden(request)!;
  connection = await openLocked(request, hidden);
  await replaceBySource(connection, hidden);
  tables = await tablesOfOther();
});
afterAll(() => {
  connection.closeSync();
  home[Symbol.dispose]();
});

// The tables and views of the file that hold anything of the other source.
async function tablesOfOther(): Promise<string[]> {
  const named = await home.rows("select table_name as name from information_schema.tables");
  const names = named.map(({ name }) => String(name));
  const counts = names.map(
    (name) =>
      `select '${name}' as name from ${name} as t where contains(cast(t as varchar), '${otherMark}')`,
  );
  const found = await home.rows(`select distinct name from (${counts.join(" union all ")})`);
  return found.map(({ name }) => String(name));
}

// The rows as text, or what the database says instead of them.
async function said(sql: string): Promise<string> {
  try {
    const prepared = await prepareSelect(connection, sql);
    const reader = await prepared.runAndReadAll();
    return JSON.stringify(reader.getRowsJson());
  } catch (error) {
    return getMessage(error);
  }
}

const spellings: readonly ((table: string) => string)[] = [
  (t) => `from ${t}`,
  (t) => `from "${t}"`,
  (t) => `from ${t.toUpperCase()}`,
  (t) => `from main.${t}`,
  (t) => `from audit.${t}`,
  (t) => `from audit.main.${t}`,
  (t) => `from "AUDIT"."main"."${t}"`,
  (t) => `from audit/* . */./**/main--\n.${t}`,
  (t) => `from published_file.main.${t}`,
  (t) => `from warehouse.main.${t}`,
  (t) => `from memory.main.${t}`,
  (t) => `from temp.${t}`,
  (t) => `from query_table('${t}')`,
  (t) => `from query_table(['audit.main.${t}', '${t}'])`,
  (t) => `from query('from audit.' || 'main.${t}')`,
  (t) => `with events as (from audit.main.${t}) from events`,
  (t) => `with ${t} as (from main.${t}) select * from ${t}, audit.main.${t}`,
  (t) => `select (select list(x) from audit.main.${t} as x)`,
  (t) => `select * from (select 1 as one), lateral (select * from main.${t} where one = 1)`,
  (t) => `from (pivot audit.main.${t} on source in ('a') using any_value(columns(*)))`,
  (t) => `summarize audit.main.${t}`,
  (t) => `from (summarize ${t})`,
  (t) => `describe audit.main.${t}`,
  (t) => `select stats(columns(*)) from audit.main.${t} limit 1`,
  (t) => `from pragma_storage_info('${t}')`,
  (t) => `from pragma_storage_info('audit.main.${t}')`,
  (t) => `from json_execute_serialized_sql(json_serialize_sql('from audit.main.${t}'))`,
  (t) => `from ${t} where error(cast(source as varchar)) is null`,
  (t) => `from ${t} where error(cast(columns(*) as varchar)) is null`,
  (t) => `select max(columns(*)), min(columns(*)) from audit.main.${t}`,
  (t) => `from read_duckdb('${path}', table_name = '${t}')`,
];

const isOfOther = (text: string): boolean => text.includes(otherMark);

it("no row of another source is shown, with any spelling of a table", async () => {
  expect(tables).toEqual(expect.arrayContaining(["event_rows", "events", "ingest_runs"]));
  const found: string[] = [];
  for (const table of tables)
    for (const spelling of spellings) {
      const sql = spelling(table);
      if (isOfOther(await said(sql))) found.push(sql);
    }
  expect(found).toEqual([]);
});

it("no row of another source is shown by the database's metadata, and no file can be read", async () => {
  const functions = await connection.runAndReadAll(
    "select distinct function_name from duckdb_functions() where function_type = 'table' and parameters = []",
  );
  const names = functions.getRows().map(([name]) => String(name));
  const [{ key } = {}] = await home.rows(
    `select event_key as key from events where source = '${otherMark}'`,
  );
  const others = [
    `from '${path}'`,
    `from read_blob('${path}')`,
    `from event('${String(key)}')`,
    `from audit.main.event('${String(key)}')`,
    "show all tables",
    "show databases",
    ...["duckdb_views", "sqlite_master", "pg_catalog.pg_views"].map((name) => `from ${name}`),
    "select any_value(json_serialize_plan('from ' || database_name || '.event_rows')) from pragma_database_size()",
    "select count(*) from events having count(*) > 4",
    "select case when count(*) > 4 then 'zz' || 'other' end from event_rows",
  ];
  const asked = [...names.map((name) => `from ${name}()`), ...others];
  expect(names).toContain("duckdb_columns");
  const found: string[] = [];
  for (const sql of asked) if (isOfOther(await said(sql))) found.push(sql);
  expect(found).toEqual([]);
});

it.each([
  "events",
  "main.events",
  "audit.events",
  '"audit".main."events"',
  "query_table('events')",
])("the rows of the source are shown by %s", async (name) => {
  expect(await said(`select count(*), any_value(source) from ${name}`)).toBe('[["4","a"]]');
});

it("every table of the contract is available, and one event by its key", async () => {
  for (const { name } of contract)
    expect([name, await said(`select 1 from ${name} limit 0`)]).toEqual([name, "[]"]);
  const one = "select source from event((select min(event_key) from events))";
  expect(await said(one)).toBe('[["a"]]');
});
