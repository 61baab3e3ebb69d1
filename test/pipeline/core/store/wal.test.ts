import { type Line, formatLine } from "../../../../pipeline/base/notice/printer.ts";
import { DuckDBInstance } from "@duckdb/node-api";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { backUpWal, withoutBadWal } from "../../../../pipeline/core/store/wal.ts";
import { temporaryFolder } from "../../../support/load.ts";

// When the database is opened, a log that another process could not replay is out of its way.

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder.path, "w.duckdb");
  const own = join(folder.path, "own.duckdb");
  const instance = await DuckDBInstance.create(own);
  const connection = await instance.connect();
  await connection.run("create table t as select range as i from range(1000)");
  await connection.run("checkpoint");
  await connection.run("insert into t select range from range(500)");
  for (const end of ["", ".wal"]) copyFileSync(`${own}${end}`, `${path}${end}`);
  connection.closeSync();
  instance.closeSync();
});
afterEach(() => folder.remove());

/** Whether there was a log at each opening, and what was said. */
async function openWal(): Promise<{ readonly logs: boolean[]; readonly said: string[] }> {
  const logs: boolean[] = [];
  const said: string[] = [];
  const open = (): Promise<boolean> => {
    logs.push(existsSync(`${path}.wal`));
    return Promise.resolve(true);
  };
  const printing = { nowMs: 0, print: (line: Line): void => void said.push(formatLine(line)) };
  await withoutBadWal(path, {}, printing, open, () => Promise.resolve());
  return { logs, said };
}

it("a log that replays is removed afterwards, without a message", async () => {
  expect(await openWal()).toEqual({ logs: [false], said: [] });
});

it("a damaged log is renamed, and its content retained", async () => {
  const bytes = readFileSync(`${path}.wal`);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(`${path}.wal`, bytes);
  const { logs, said } = await openWal();
  expect({ logs, lines: said.length }).toEqual({ logs: [false], lines: 1 });
  const [, to = ""] = /could not be replayed; .*; it was renamed to (\S+)$/.exec(said[0]!) ?? [];
  expect(readFileSync(to)).toEqual(bytes);
});

const aside = { nowMs: 0, print: (): void => undefined };

it("a log that does not replay at opening is moved, and the opened database is returned", async () => {
  const own = join(folder.path, "small.duckdb");
  let openings = 0;
  const open = (): Promise<number> => {
    if ((openings += 1) > 1) return Promise.resolve(openings);
    writeFileSync(`${own}.wal`, "started since");
    return Promise.reject(new Error("INTERNAL Error: Failure while replaying WAL file"));
  };
  expect(await withoutBadWal(own, {}, aside, open, () => Promise.resolve())).toBe(2);
  expect(existsSync(`${own}.wal`)).toBe(false);
});

it("a file that is not a log is moved after the database is closed, and the opened database is returned", async () => {
  const own = join(folder.path, "small.duckdb");
  writeFileSync(`${own}.wal`, "something else");
  const steps: string[] = [];
  const open = (): Promise<string> => {
    steps.push(existsSync(`${own}.wal`) ? "beside it" : "alone");
    return Promise.resolve(steps.at(-1)!);
  };
  const close = (opened: string): Promise<void> => Promise.resolve(void steps.push(`-${opened}`));
  expect(await withoutBadWal(own, {}, aside, open, close)).toBe("alone");
  expect(steps).toEqual(["beside it", "-beside it", "alone"]);
});

it("an empty log is removed without a message, and each other one has a backup with its own name", () => {
  const said: string[] = [];
  const printing = { nowMs: 0, print: (line: Line): void => void said.push(formatLine(line)) };
  const backUp = (text: string): void => {
    writeFileSync(`${path}.wal`, text);
    backUpWal(path, printing, "is of no use");
  };
  for (const text of ["", "a", "b", ""]) backUp(text);
  const kept = readdirSync(folder.path).filter((name) => name.startsWith("w.duckdb.wal"));
  expect(kept.map((name) => readFileSync(join(folder.path, name), "utf8"))).toEqual(["a", "b"]);
  expect(said.length).toBe(2);
});
