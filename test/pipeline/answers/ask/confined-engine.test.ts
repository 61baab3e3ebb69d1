import { DuckDBInstance } from "@duckdb/node-api";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compileConfined, writeTable } from "../../../../pipeline/answers/ask/confined-engine.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import type { Report } from "../../../../pipeline/base/report/find.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { testWorld } from "../../../support/world.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  const types = ["boolean", "date", "integer", "number", "text", "timestamp"];
  const params = [
    "-- param: since timestamp",
    ...types.map((type) => `-- param: a_${type} ${type}`),
  ];
  const cells = types.map((type) => `typeof($a_${type}) || ' ' || $a_${type} as a_${type}`);
  const header = `-- title: Own\n-- grain: one row\n${params.join("\n")}`;
  home.write("queries/own.sql", `${header}\nselect ${cells.join(", ")}, $since as s\n`);
});
afterAll(() => home[Symbol.dispose]());

const given = {
  since: "2026-01-01",
  a_boolean: "true",
  a_date: "2026-02-03",
  a_integer: "9007199254740993",
  a_number: "2.5",
  a_text: "it's",
  a_timestamp: "2026-02-03T04:05:06Z",
};

it("gives a user report its values with their types, and says how far the data reaches", async () => {
  const values = Object.entries(given).flatMap(([name, text]) => ["--param", `${name}=${text}`]);
  const argv = ["report", "run", "own", "--queries", join(home.folder, "queries"), ...values];
  const rows = await home.run([...argv, "--format", "json"]);
  expect(rows.err).toContain("\nnote: the log of default ends at 2026-01-01T00:00:00Z");
  expect(JSON.parse(rows.out)).toMatchObject([
    {
      a_boolean: "BOOLEAN true",
      a_date: "DATE 2026-02-03",
      a_integer: "BIGINT 9007199254740993",
      a_number: "DOUBLE 2.5",
      a_text: "VARCHAR it's",
      a_timestamp: "TIMESTAMP 2026-02-03 04:05:06",
    },
  ]);
  const out = join(home.folder, "own.parquet");
  const parquet = await home.run([...argv, "--out", out]);
  expect([parquet.code, existsSync(out)], parquet.err).toEqual([0, true]);
  expect(parquet.err).toContain("\nnote: the log of default ends at 2026-01-01T00:00:00Z");
});

// A process that is not waited for would hold the file, and its memory, while the next is asked.
const processes = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;

it("is finished with a statement when it is compiled, or its table is written", async () => {
  const settings = {
    home: resolveHome(home.home),
    config: configSchema.parse({}),
    flags: {},
  } as unknown as Settings;
  const report = { file: "own.sql" } as Report;
  const before = processes();
  const compile = (sql: string): Promise<void> =>
    compileConfined(report, { sql, values: {} }, settings.home.published, settings, testWorld());
  await compile("select event_name from events");
  expect(processes()).toBe(before);
  await expect(compile("select nothing from events")).rejects.toThrow(/^own\.sql: .*nothing/);
  expect(processes()).toBe(before);
  const table = join(home.folder, "table.duckdb");
  const write = (sql: string): Promise<void> =>
    writeTable(report, { sql, values: {} }, table, settings, testWorld());
  await write("select i from range(50000) as r(i)");
  expect(processes()).toBe(before);
  const instance = await DuckDBInstance.create(table);
  const connection = await instance.connect();
  const counted = await connection.runAndReadAll("select count(*)::integer from rows");
  expect(counted.getRows()).toEqual([[50_000]]);
  connection.closeSync();
  instance.closeSync();
  rmSync(table);
  const late = "select if(i < 45000, i, error('late')::bigint) as i from range(50000) as r(i)";
  await expect(write(late)).rejects.toThrow(/^own\.sql: .*late/);
});
