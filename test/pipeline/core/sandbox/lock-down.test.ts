import type { DuckDBConnection } from "@duckdb/node-api";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocked } from "../../../../pipeline/core/sandbox/limits.ts";
import type { Result, SandboxRequest } from "../../../../pipeline/core/sandbox/protocol.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { writePublished } from "../../published-file.ts";

const { path: folder, remove } = temporaryFolder();
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  await writePublished(at("audit.duckdb"), []);
  writeFileSync(at("secret.csv"), "a\n1\n");
  mkdirSync(at("spill"));
});
afterAll(remove);

async function lock(result: Result, spill?: string): Promise<DuckDBConnection> {
  const request: SandboxRequest = {
    database: at("audit.duckdb"),
    sql: "",
    values: {},
    result,
    isReport: false,
    spill,
    source: undefined,
    maxRows: 10,
    memoryLimit: "256MB",
    threads: 1,
  };
  return openLocked(request);
}

// A request that writes nothing has two locks; where files are needed, the first holds alone.
it.each<[string, Result, string | undefined]>([
  ["for rows", "rows", undefined],
  ["for rows, with a folder to spill to", "rows", at("spill")],
  ["for Parquet", { parquet: at("out.parquet"), limit: "all" }, undefined],
  ["for a table", { table: at("out.duckdb") }, undefined],
])(
  "with the database opened %s, no statement reads another file, writes one or removes the lock-down",
  async (_, result, spill) => {
    const connection = await lock(result, spill);
    const settings = await connection.runAndReadAll(
      "select current_setting('enable_external_access'), current_setting('lock_configuration')",
    );
    expect(settings.getRows()).toEqual([[false, true]]);
    for (const statement of [
      `select * from read_csv('${at("secret.csv")}')`,
      `select * from read_text('${at("secret.csv")}')`,
      `copy (select 1) to '${at("other.parquet")}'`,
      `attach '${at("other.duckdb")}'`,
      "set enable_external_access = true",
    ])
      await expect(connection.run(statement)).rejects.toThrow(
        /disabled|locked|external|Permission/,
      );
    expect(["other.parquet", "other.duckdb"].filter((name) => existsSync(at(name)))).toEqual([]);
    connection.closeSync();
  },
);

it("the result is the only file that may be written", async () => {
  const parquet = await lock({ parquet: at("mine.parquet"), limit: "all" });
  await parquet.run(`copy (select 1 as a) to '${at("mine.parquet")}'`);
  expect(existsSync(at("mine.parquet"))).toBe(true);
  parquet.closeSync();
  const table = await lock({ table: at("mine.duckdb") });
  await table.run("create table given.rows as select 1 as a");
  await expect(table.run("create table here as select 1 as a")).rejects.toThrow(/read-only/);
  table.closeSync();
});

it("the file systems are closed, too, if no file is needed", async () => {
  const connection = await lock("rows");
  const read = connection.run(`select * from read_text('${at("secret.csv")}')`);
  await expect(read).rejects.toThrow(/LocalFileSystem has been disabled/);
  connection.closeSync();
});
