import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "./support/load.ts";

// What `make install` and `make uninstall` call, on a checkout of its own with a program that only shows its arguments.
const folder = temporaryFolder();
afterAll(() => folder.remove());

const checkout = join(folder.path, "it's 50% $HOME");
const program = join(checkout, "dist/pipeline/bin.js");
const launcher = join(checkout, "launcher.sh");
mkdirSync(dirname(program), { recursive: true });
writeFileSync(program, "console.log(JSON.stringify(process.argv.slice(2)))");
writeFileSync(launcher, readFileSync(resolve("launcher.sh")));
chmodSync(launcher, 0o755);

type Ended = { readonly status: number | null; readonly out: string; readonly err: string };

function call(file: string, argv: readonly string[], env: NodeJS.ProcessEnv): Ended {
  const { status, stdout, stderr } = spawnSync(file, argv, { cwd: "/", encoding: "utf8", env });
  return { status, out: stdout, err: stderr };
}

const path = `${dirname(process.execPath)}:${process.env["PATH"]}`;
const run = (action: string, bin: string, more = ""): Ended =>
  call(launcher, [action], { PATH: path + more, BINDIR: bin });

describe("the command that make install makes", () => {
  it("runs this checkout with this Node, from any folder and with an empty environment", () => {
    const bin = join(folder.path, 'a "bin"');
    expect(run("install", bin).out).toMatch(/installed .*\n.* is not on the PATH: add it there/);
    const argv = ["a b", "$HOME", "it's", ""];
    expect(call(join(bin, "auditlake"), argv, {}).out).toBe(`${JSON.stringify(argv)}\n`);
    // Again, where it is there already, and on the PATH.
    expect(run("install", bin, `:${bin}`).out).toMatch(/is on the PATH: call it auditlake/);
    expect(run("uninstall", bin)).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^removed/),
    });
    expect(existsSync(join(bin, "auditlake"))).toBe(false);
    expect(run("uninstall", bin)).toMatchObject({ status: 0 });
  });

  it("prints what to do if the build is missing", () => {
    const bin = join(folder.path, "gone");
    run("install", bin);
    const moved = readFileSync(join(bin, "auditlake"), "utf8").replaceAll("bin.js", "none.js");
    writeFileSync(join(bin, "auditlake"), moved);
    const { status, err } = call(join(bin, "auditlake"), [], {});
    expect(status).toBe(1);
    expect(err).toContain(`none.js is gone; run make install in ${checkout} again\n`);
  });

  it.each(["install", "uninstall"])("%s does not touch files of others", (action) => {
    const bin = join(folder.path, `foreign ${action}`);
    mkdirSync(bin);
    const file = join(bin, "auditlake");
    writeFileSync(file, "#!/bin/sh\necho other\n");
    expect(run(action, bin)).toEqual({
      status: 1,
      out: "",
      err: `error: ${file} is there already and not from make install; move it aside, or choose another BINDIR\n`,
    });
    expect(readFileSync(file, "utf8")).toContain("other");
  });

  it("prints one line if a file has the name of the folder", () => {
    const bin = join(folder.path, "no folder");
    writeFileSync(bin, "");
    expect(run("install", bin)).toEqual({
      status: 1,
      out: "",
      err: `error: cannot make the folder ${bin}; choose another BINDIR\n`,
    });
    expect(readFileSync(bin, "utf8")).toBe("");
  });

  // The machine's administrator may write anywhere.
  it.skipIf(process.getuid?.() === 0)("prints one line if it may not write", () => {
    const bin = join(folder.path, "closed");
    mkdirSync(bin, { mode: 0o555 });
    expect(run("install", bin)).toEqual({
      status: 1,
      out: "",
      err: `error: cannot write to the folder ${bin}; choose another BINDIR\n`,
    });
  });

  it("uses this Node even if an older one is first on the caller's path", () => {
    const [bin, old] = [join(folder.path, "older"), join(folder.path, "old node")];
    run("install", bin);
    mkdirSync(old);
    writeFileSync(join(old, "node"), "#!/bin/sh\necho an older one\n", { mode: 0o755 });
    const { out } = call(join(bin, "auditlake"), ["a"], { PATH: `${old}:${path}` });
    expect(out).toBe('["a"]\n');
  });

  it("does not write through a dangling link", () => {
    const bin = join(folder.path, "linked");
    mkdirSync(bin);
    symlinkSync(join(bin, "nowhere"), join(bin, "auditlake"));
    expect(run("install", bin).status).toBe(1);
    expect(existsSync(join(bin, "nowhere"))).toBe(false);
  });
});
