import { existsSync } from "node:fs";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

let home: TestHome;
beforeEach(async () => {
  home = await homeWithWarehouse();
});
afterEach(() => home[Symbol.dispose]());

const listStored = (end: string): string =>
  home.write(`home/warehouse.duckdb.version-1-${end}`, "x".repeat(1500));
const prune = (...argv: string[]) => home.run(["prune", ...argv]);

it("prune --old-store prints what it would delete and deleted, and removes nothing else", async () => {
  const [first, second] = [listStored("2025"), listStored("2026")];
  const what = `${first} (1.50 kB), ${second} (1.50 kB)`;
  expect(await prune("--old-store", "--dry-run")).toMatchObject({
    code: 0,
    out: `would remove ${what}\n`,
    err: "",
  });
  expect([first, second].map((path) => existsSync(path))).toEqual([true, true]);
  const done = await prune("--old-store", "--yes");
  expect(done).toMatchObject({ code: 0, out: "", err: `removing ${what}\n` });
  expect([first, second].map((path) => existsSync(path))).toEqual([false, false]);
  expect(existsSync(`${home.home}/warehouse.duckdb`)).toBe(true);
});

it("prune --old-store removes nothing without a yes", async () => {
  const path = listStored("2026");
  expect(await prune("--old-store", "--quiet")).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /^error: nothing was removed: without a terminal, prune needs --yes/,
    ),
  });
  const stdin = Object.assign(new PassThrough().end("no\n"), { isTTY: true });
  expect(await home.run(["prune", "--old-store"], { stdin })).toMatchObject({ code: 1 });
  expect(existsSync(path)).toBe(true);
});

it.each([
  [["--old-store", "--before", "1d"], "--old-store cannot be combined with --before; prune twice"],
  [["--old-store", "--events"], "--old-store cannot be combined with --before; prune twice"],
  [[], "prune needs --before TIME, such as 365d, or --old-store"],
])("prune --old-store refuses %j", async (argv, expected) => {
  const path = listStored("2026");
  expect(await prune("--yes", ...argv)).toMatchObject({ code: 2, err: `error: ${expected}\n` });
  expect(existsSync(path)).toBe(true);
});

it("prune --old-store reports that none exists, also without a home", async () => {
  const none = { code: 0, out: "", err: "no old database to remove\n" };
  expect(await prune("--old-store")).toMatchObject(none);
  const argv = ["--home", `${home.folder}/nowhere`, "prune", "--old-store", "--yes"];
  expect(await home.run(argv)).toMatchObject(none);
  expect(existsSync(`${home.folder}/nowhere`)).toBe(false);
});
