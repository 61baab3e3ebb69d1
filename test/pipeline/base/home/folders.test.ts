import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { makeFolders } from "../../../../pipeline/base/home/durable.ts";
import { projectPath } from "../../../docs/pages.ts";
import { temporaryFolder } from "../../../support/load.ts";

const { path: top, remove } = temporaryFolder();
afterAll(remove);

const inside = join(top, "inside");
beforeEach(() => {
  rmSync(inside, { recursive: true, force: true });
  mkdirSync(join(inside, "there"), { recursive: true });
  writeFileSync(join(inside, "file"), "");
  symlinkSync(join(inside, "there"), join(inside, "link"));
  symlinkSync(join(inside, "gone"), join(inside, "dangling"));
});

const outcome = (make: () => string | undefined): string => {
  try {
    return String(make());
  } catch {
    return "fails";
  }
};

describe("creating folders as Node does, with the same failures", () => {
  const long = "x".repeat(300);
  it.each([
    "there",
    "new",
    "a/b/c",
    "there/a/b",
    "link/a",
    "link",
    "file",
    "file/a",
    "file/a/b",
    "dangling",
    "dangling/a",
    "dangling/a/b",
    long,
    `a/${long}/b`,
    "a/",
    "a/../b/c",
    "there/./a",
  ])("%s", (name) => {
    const path = join(inside, name);
    const made = outcome(() => makeFolders(path));
    const isThere = existsSync(path) && statSync(path).isDirectory();
    rmSync(inside, { recursive: true });
    mkdirSync(join(inside, "there"), { recursive: true });
    writeFileSync(join(inside, "file"), "");
    symlinkSync(join(inside, "there"), join(inside, "link"));
    symlinkSync(join(inside, "gone"), join(inside, "dangling"));
    const expected = outcome(() => mkdirSync(path, { recursive: true }));
    expect([isThere, made]).toEqual([existsSync(path) && statSync(path).isDirectory(), expected]);
  });
});

it("creates all of them for their owner only, unless configured otherwise", () => {
  makeFolders(join(inside, "a/b"));
  makeFolders(join(inside, "c/d"), 0o755);
  const modes = ["a", "a/b", "c", "c/d"].map((name) => statSync(join(inside, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o755, 0o755]);
});

it("names the requested folder if a file is above it", () => {
  for (const name of ["file/a/b", `there/${"x".repeat(300)}/b`]) {
    const path = join(inside, name);
    expect(() => makeFolders(path)).toThrow(`mkdir '${path}'`);
  }
});

// In a process of its own: what never ends would keep the test from ending, too.
it("ends if a folder exists and none can be created in it", async () => {
  const script = `
    import { makeFolders } from ${JSON.stringify(projectPath("pipeline/base/home/durable.ts"))};
    for (const path of ["/proc/nope", "/proc/nope/a/b", "/proc/self/nope/a"])
      try { makeFolders(path); } catch (error) { console.log(error.code); }`;
  const argv = ["--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 20_000 });
  expect(stdout).toBe("ENOENT\nENOENT\nENOENT\n");
});

it("is used wherever folders are created with their parents", async () => {
  const argv = ["-rnE", "mkdir(Sync)?\\([^;]*recursive", projectPath("pipeline")];
  const found = await promisify(execFile)("grep", argv).catch(({ stdout }: { stdout: string }) => ({
    stdout,
  }));
  expect(found.stdout).toBe("");
});
