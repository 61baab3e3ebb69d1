import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readAsset } from "../../../pipeline/base/home/assets.ts";
import { homeWithWarehouse } from "../../support/home.ts";

// An activation whose process was killed while it made its file: after each statement of those that make the tables.

const statements = readAsset("queries/activation/tables.sql").split(/;\n/).slice(0, -1);

async function madeSoFar(path: string, count: number): Promise<void> {
  mkdirSync(dirname(path));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`attach '${path}' as state (storage_version 'v1.5.0')`);
  for (const sql of statements.slice(0, count)) await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

test.each(Array.from({ length: statements.length + 1 }, (_, count) => count))(
  "after %i statements the home is rebuilt and reported",
  async (count) => {
    using home = await homeWithWarehouse();
    await madeSoFar(join(home.home, "activations", "people.duckdb"), count);
    expect((await home.load([{ time: 1_767_225_600, event_name: "sign_in" }])).code).toBe(0);
    for (const verb of ["rebuild", "publish", "status"])
      expect([verb, (await home.run([verb])).code]).toEqual([verb, 0]);
    expect(await home.count("select count(*) from activation_runs")).toBe(0);
  },
);
