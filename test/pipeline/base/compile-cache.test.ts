import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childEnv } from "../../support/child-env.ts";
import { binPath } from "../../support/killed.ts";
import { temporaryFolder } from "../../support/load.ts";

// Real processes: what Node keeps it writes when it ends.

let folder: string;
let remove: () => void;
beforeEach(() => {
  ({ path: folder, remove } = temporaryFolder());
  mkdirSync(join(folder, "tmp"));
});
afterEach(() => remove());

const cache = (): string => join(folder, "cache", "auditlake");

/** Runs the command line; the files that it left in the system's temporary folder. */
function start(env: NodeJS.ProcessEnv): string[] {
  const bare = { XDG_CACHE_HOME: undefined, TMPDIR: join(folder, "tmp") };
  const out = execFileSync(process.execPath, [binPath, "--version"], {
    env: childEnv({ ...bare, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(String(out)).toMatch(/^\d+\.\d+\.\d+/);
  return readdirSync(join(folder, "tmp"));
}

describe("the compile cache of Node", () => {
  it("is in the user's own folder, never in a shared one", () => {
    expect(start({ XDG_CACHE_HOME: join(folder, "cache") })).toEqual([]);
    expect(statSync(cache()).mode & 0o777).toBe(0o700);
    expect(readdirSync(cache())).not.toEqual([]);
    expect(start({ HOME: folder })).toEqual([]);
    expect(readdirSync(join(folder, ".cache", "auditlake"))).not.toEqual([]);
  });

  it("is not in a folder that others may write to", () => {
    mkdirSync(cache(), { recursive: true, mode: 0o700 });
    chmodSync(cache(), 0o770);
    expect(start({ XDG_CACHE_HOME: join(folder, "cache") })).toEqual([]);
    expect(readdirSync(cache())).toEqual([]);
  });

  it("is not below a folder that others may replace", () => {
    mkdirSync(join(folder, "cache"));
    chmodSync(join(folder, "cache"), 0o777);
    expect(start({ XDG_CACHE_HOME: join(folder, "cache") })).toEqual([]);
    expect(readdirSync(join(folder, "cache"))).toEqual([]);
  });

  it("is not behind a link", () => {
    mkdirSync(join(folder, "elsewhere"), { mode: 0o700 });
    mkdirSync(join(folder, "cache"), { mode: 0o700 });
    symlinkSync(join(folder, "elsewhere"), cache());
    expect(start({ XDG_CACHE_HOME: join(folder, "cache") })).toEqual([]);
    expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
  });

  it("is off without a home, without a message", () => {
    expect(start({ HOME: join(folder, "none") })).toEqual([]);
    expect(start({})).toEqual([]);
    expect(readdirSync(folder)).toEqual(["tmp"]);
  });

  it("follows Node's own setting, or is off", () => {
    const cached = { XDG_CACHE_HOME: join(folder, "cache") };
    start({ ...cached, NODE_COMPILE_CACHE: join(folder, "chosen") });
    expect(readdirSync(join(folder, "chosen"))).not.toEqual([]);
    start({ ...cached, NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(readdirSync(folder).sort()).toEqual(["chosen", "tmp"]);
  });
});
