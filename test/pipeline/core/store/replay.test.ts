import { DuckDBInstance } from "@duckdb/node-api";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { tryReplay } from "../../../../pipeline/core/store/wal.ts";
import { temporaryFolder } from "../../../support/load.ts";

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

it("a complete write-ahead log is replayed by the other process", async () => {
  expect(await tryReplay(path, options)).toBeUndefined();
  expect([existsSync(`${path}.wal`), await rows()]).toEqual([false, "1500"]);
});

it("a damaged log is reported, and the database is that of its checkpoint", async () => {
  const bytes = readFileSync(`${path}.wal`);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(`${path}.wal`, bytes);
  expect(await tryReplay(path, options)).toBe("could not be replayed");
  rmSync(`${path}.wal`);
  expect(await rows()).toBe("1000");
});

it.each([
  ["process.kill(process.pid, 'SIGSEGV')", "made the database crash (SIGSEGV)"],
  ["process.abort()", "made the database crash (SIGABRT)"],
  ["process.kill(process.pid, 'SIGKILL')", undefined],
  ["process.exit(1)", undefined],
])("a replay process that does %s: %s", async (script, fault) => {
  const child = join(folder.path, "child.mjs");
  writeFileSync(child, `${script};setInterval(() => {}, 1000);`);
  expect(await tryReplay(path, options, child)).toBe(fault);
});

// A process that has the database until it is killed, as one that a killed run left.
async function holder(): Promise<ChildProcess> {
  const script = `import { DuckDBInstance } from "@duckdb/node-api";
    globalThis.held = await DuckDBInstance.create(${JSON.stringify(path)}, { access_mode: "READ_ONLY" });
    process.stdout.write("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

const endProcess = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGKILL");
  await once(child, "close");
};

it("a log of a database that another process still uses is tried after that has ended", async () => {
  const free = join(folder.path, "free.duckdb");
  for (const end of ["", ".wal"]) copyFileSync(`${path}${end}`, `${free}${end}`);
  const held = await holder();
  let isAnswered = false;
  const answer = tryReplay(path, options).finally(() => (isAnswered = true));
  // As long as two answers of a free one take.
  for (const _ of [1, 2]) expect(await tryReplay(free, options)).toBeUndefined();
  expect(isAnswered).toBe(false);
  await endProcess(held);
  expect([await answer, existsSync(`${path}.wal`), await rows()]).toEqual([
    undefined,
    false,
    "1500",
  ]);
});

it("the replay process ends with its parent", async () => {
  const held = await holder();
  const file = new URL("../../../../pipeline/core/store/replay-child.ts", import.meta.url).pathname;
  const asked = JSON.stringify({ path, options, patienceMs: 3_600_000 });
  const child = spawn(process.execPath, [file, asked], { stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  expect(await once(child, "close")).toEqual([null, "SIGKILL"]);
  await endProcess(held);
});
