import type { DuckDBConnection } from "@duckdb/node-api";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bringAllRuns } from "../../../../../pipeline/core/store/activation/runs.ts";
import { resolveHome } from "../../../../../pipeline/base/home/layout.ts";
import { temporaryFolder } from "../../../../support/load.ts";

const held = "IO Error: Conflicting lock is held in /usr/bin/node (PID 7)";

it("runs of current activations are added later, and a damaged file is an error", async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const home = resolveHome(path);
  const attached: string[] = [];
  const broughtWith = (faultOfC: string): Promise<void> => {
    attached.length = 0;
    const run = (sql: string): Promise<never> => {
      const file = basename(/'(.*)'/.exec(sql)![1]!);
      attached.push(file);
      return Promise.reject(new Error(file === "c.duckdb" ? faultOfC : held));
    };
    return bringAllRuns(home, { run } as unknown as DuckDBConnection);
  };
  await broughtWith(held);
  expect(attached).toEqual([]);
  mkdirSync(join(path, "activations"));
  for (const name of ["d.duckdb", "b.duckdb", "c.duckdb", "b.number", "b.rows", "b.duckdb.wal"])
    writeFileSync(join(path, "activations", name), "");
  await broughtWith(held);
  expect(attached).toEqual(["b.duckdb", "c.duckdb", "d.duckdb"]);
  await expect(broughtWith("IO Error: no database")).rejects.toThrow(
    /c\.duckdb does not open: no database; move it away; the runs in it are lost$/,
  );
  expect(attached).toEqual(["b.duckdb", "c.duckdb"]);
});
