import { spawn } from "node:child_process";
import { once } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAbandoned } from "../../../../../pipeline/base/home/drafts.ts";
import { temporaryFolder } from "../../../../support/load.ts";

const nowMs = Date.UTC(2026, 0, 2);

function readDraft(folder: string, ageMs: number): string {
  const path = join(folder, "draft");
  writeFileSync(path, "");
  utimesSync(path, new Date(nowMs - ageMs), new Date(nowMs - ageMs));
  return path;
}

it("a temporary file counts as abandoned a day after its process ended", async () => {
  const { path: folder, remove } = temporaryFolder();
  const gone = spawn("true");
  await once(gone, "exit");
  expect(isAbandoned(readDraft(folder, 86_400_001), gone.pid!, nowMs)).toBe(true);
  expect(isAbandoned(readDraft(folder, 86_400_000), gone.pid!, nowMs)).toBe(false);
  expect(isAbandoned(readDraft(folder, 86_400_001), process.pid, nowMs)).toBe(false);
  remove();
});

it("a running process of another user is recognized, even without permission to signal it", async () => {
  const { path: folder, remove } = temporaryFolder();
  const path = readDraft(folder, 86_400_001);
  // An administrator may signal all: he gives that up for a moment. Anybody else may not signal the first process.
  const other = process.getuid?.() === 0 ? spawn("sleep", ["60"], { uid: 65_534 }) : undefined;
  try {
    if (other !== undefined) process.seteuid?.(54_321);
    expect(isAbandoned(path, other?.pid ?? 1, nowMs)).toBe(false);
  } finally {
    if (other !== undefined) process.seteuid?.(0);
    other?.kill();
    remove();
  }
});
