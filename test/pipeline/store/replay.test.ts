import { DuckDBInstance } from "@duckdb/node-api";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { faultOfReplay } from "../../../pipeline/store/replay.ts";
import { temporaryFolder } from "../../support/load.ts";

const options = { storage_compatibility_version: "v1.5.0", memory_limit: "500MB" };

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
/** A database with a log beside it, as a killed writer leaves them. */
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder.path, "copy", "w.duckdb");
  mkdirSync(join(folder.path, "copy"));
  const own = join(folder.path, "w.duckdb");
  const instance = await DuckDBInstance.create(own, options);
  const connection = await instance.connect();
  await connection.run("create table t as select range as i, 'x' || range as s from range(1000)");
  await connection.run("checkpoint");
  await connection.run("insert into t select range, 'y' || range from range(500)");
  for (const end of ["", ".wal"]) copyFileSync(`${own}${end}`, `${path}${end}`);
  connection.closeSync();
  instance.closeSync();
});
afterEach(() => folder.remove());

const rows = async (): Promise<string> => {
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll("select count(*) from t");
  connection.closeSync();
  instance.closeSync();
  return String(reader.getRows()[0]![0]);
};

it("a log that is whole is replayed by the other process", async () => {
  expect(await faultOfReplay(path, options)).toBeUndefined();
  expect([existsSync(`${path}.wal`), await rows()]).toEqual([false, "1500"]);
});

it("a log that is damaged is told, and the database is as it was at its checkpoint", async () => {
  const bytes = readFileSync(`${path}.wal`);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(`${path}.wal`, bytes);
  expect(await faultOfReplay(path, options)).toBe("could not be replayed");
  rmSync(`${path}.wal`);
  expect(await rows()).toBe("1000");
});

it.each([
  ["process.kill(process.pid, 'SIGSEGV')", "made the database crash (SIGSEGV)"],
  ["process.abort()", "made the database crash (SIGABRT)"],
  ["process.kill(process.pid, 'SIGKILL')", undefined],
  ["process.exit(1)", undefined],
])("of a process that does %s: %s", async (script, fault) => {
  const child = join(folder.path, "child.mjs");
  writeFileSync(child, `${script};setInterval(() => {}, 1000);`);
  expect(await faultOfReplay(path, options, child)).toBe(fault);
});
