import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { makeTemporary } from "../../../../pipeline/base/home/drafts.ts";
import { temporaryFolder } from "../../../support/load.ts";

it("the temporary folder is a new one inside TMPDIR", () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  vi.stubEnv("TMPDIR", path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const [one, other] = [makeTemporary("x"), makeTemporary("x")];
  expect(one).not.toBe(other);
  expect(one.startsWith(join(path, "auditlake-x-"))).toBe(true);
  expect(statSync(one).mode & 0o777).toBe(0o700);
});

it("an error prints what to set if no temporary folder can be created", () => {
  const { path, remove } = temporaryFolder();
  remove();
  vi.stubEnv("TMPDIR", path);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => makeTemporary("x")).toThrow(
    /^cannot create a folder for temporary files in .*: ENOENT.*; set TMPDIR to a writable folder/,
  );
  expect(existsSync(path)).toBe(false);
});
