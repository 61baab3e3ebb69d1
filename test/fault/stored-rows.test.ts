import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/load.ts";
import { keep, readKept, type Kept } from "./stored-rows.ts";

const row: Kept = {
  facts: "Node 24.21.0, seed 1",
  date: "2026-11-21",
  name: "kill",
  asked: 1000,
  done: 1000,
  note: "0 lost",
  seconds: 12.5,
};

test("stored rows are read unchanged", () => {
  const { path, remove } = temporaryFolder();
  try {
    const file = join(path, "out", "fault", "0123.ndjson");
    expect(readKept(file)).toEqual([]);
    keep(file, row);
    const { note: _, ...bare } = { ...row, name: "http" };
    keep(file, bare);
    expect(readKept(file)).toEqual([row, bare]);
  } finally {
    remove();
  }
});

test("a file of other rows is not accepted as the measured one", () => {
  const { path, remove } = temporaryFolder();
  try {
    const file = join(path, "rows.ndjson");
    writeFileSync(file, '{"name":"kill","failures":0}\n');
    expect(() => readKept(file)).toThrow(/facts/);
  } finally {
    remove();
  }
});
