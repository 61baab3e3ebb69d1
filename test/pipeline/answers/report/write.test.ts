import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import { createFolder, replaceFile } from "../../../../pipeline/answers/report/write.ts";
import { temporaryFolder } from "./support.ts";

test("a file is written completely, readable by its owner alone, and replaced by the next run", async () => {
  const path = join(temporaryFolder(), "a.csv");
  writeFileSync(path, "old", { mode: 0o644 });
  const outcome = await replaceFile(path, async ({ sink }) => {
    await sink("one,");
    expect(readFileSync(path, "utf8")).toBe("old");
    await sink("two");
    return 2;
  });
  expect(outcome).toBe(2);
  expect(readFileSync(path, "utf8")).toBe("one,two");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a failed write leaves the old file and nothing else", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "a.csv");
  writeFileSync(path, "old");
  const act = replaceFile(path, async ({ sink }) => {
    await sink("half");
    throw new Error("disk on fire");
  });
  await expect(act).rejects.toThrow(`cannot write ${path}: disk on fire`);
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["a.csv"]);
});

test("a temporary file of another run is not touched", async () => {
  const folder = temporaryFolder();
  const left = `.auditlake-${process.pid}-0.tmp`;
  writeFileSync(join(folder, left), "theirs");
  await replaceFile(join(folder, "a.csv"), ({ sink }) => sink("mine"));
  expect(readFileSync(join(folder, left), "utf8")).toBe("theirs");
  expect(readdirSync(folder).toSorted()).toEqual([left, "a.csv"]);
});

test("of two writers at once the last one wins, with a complete file", async () => {
  const path = join(temporaryFolder(), "a.csv");
  const write = (letter: string) =>
    replaceFile(path, async ({ sink }) => {
      for (let index = 0; index < 50; index++) await sink(letter.repeat(1000));
    });
  await Promise.all([write("a"), write("b")]);
  expect(readFileSync(path, "utf8")).toMatch(/^(a{50000}|b{50000})$/);
});

test("a symbolic link is replaced, not followed", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "target"), "untouched");
  symlinkSync(join(folder, "target"), join(folder, "link"));
  await replaceFile(join(folder, "link"), ({ sink }) => sink("new"));
  expect(readFileSync(join(folder, "target"), "utf8")).toBe("untouched");
  expect(readFileSync(join(folder, "link"), "utf8")).toBe("new");
});

test("folders, devices and missing folders are refused before anything runs", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "sub"));
  const never = () => Promise.reject(new Error("ran"));
  const refuse = async (path: string, message: RegExp) => {
    await expect(replaceFile(path, never)).rejects.toThrow(UsageError);
    await expect(replaceFile(path, never)).rejects.toThrow(message);
  };
  await refuse(join(folder, "sub"), /it is a folder; name a file/);
  await refuse(join(folder, "none", "a.csv"), /its folder does not exist/);
  await refuse("/dev/null", /not a regular file/);
  await refuse("/dev/stdout", /not a regular file/);
});

test("the files of a home are refused as an output", async () => {
  const folder = temporaryFolder();
  for (const name of ["warehouse.duckdb", "audit.duckdb", "audit.duckdb.wal", "run.lock"]) {
    writeFileSync(join(folder, name), "kept");
    const act = replaceFile(join(folder, name), ({ sink }) => sink("new"));
    await expect(act).rejects.toThrow(/auditlake uses that file name itself; choose another$/);
    expect(readFileSync(join(folder, name), "utf8")).toBe("kept");
  }
  await replaceFile(join(folder, "audit.csv"), ({ sink }) => sink("new"));
});

test("an output folder is made for its owner alone", async () => {
  const folder = join(temporaryFolder(), "a", "b");
  await createFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  await createFolder(folder);
  writeFileSync(join(folder, "file"), "");
  await expect(createFolder(join(folder, "file"))).rejects.toThrow(/cannot write .*ENOTDIR/);
  expect(existsSync(join(folder, "file"))).toBe(true);
});
