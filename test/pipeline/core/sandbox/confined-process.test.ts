import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SandboxProcess } from "../../../../pipeline/core/sandbox/confined-process.ts";
import { newRealWorld } from "../../../../pipeline/base/world.ts";
import { childEnv } from "../../../support/child-env.ts";
import { sqlTask } from "../../../support/sql-task.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

// A program in place of the query that says who it is and never again looks at what its parent says.
const busy = `require("node:fs").writeSync(3, String(process.pid)); for (;;);`;
const limits = {
  timeoutMs: 60_000,
  timeoutName: "",
  maxRows: 1,
  maxBytes: 1e6,
  memoryLimit: "256MB",
  threads: 1,
};

let home: TestHome;
let childFile: string;
let pid = 0;
beforeEach(() => {
  home = newHome();
  childFile = home.write("busy.cjs", busy);
  mkdirSync(join(home.folder, "tmp"));
  vi.stubEnv("TMPDIR", join(home.folder, "tmp"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  if (isRunning(pid)) process.kill(pid, "SIGKILL");
  home[Symbol.dispose]();
});

const folders = (): string[] => readdirSync(join(home.folder, "tmp"));

// A process that was not awaited is a zombie, and over.
function isRunning(id: number): boolean {
  const path = `/proc/${id}/stat`;
  return id > 0 && existsSync(path) && !readFileSync(path, "utf8").includes(") Z ");
}

function watchers(): string[] {
  return readdirSync("/proc").filter((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(childFile);
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === "linux")("the process of a running query", () => {
  it("ends when its parent is killed, and removes its folder", async () => {
    const module = new URL(
      "../../../../pipeline/core/sandbox/confined-process.ts",
      import.meta.url,
    );
    const world = new URL("../../../../pipeline/base/world.ts", import.meta.url);
    const script = `
      const { SandboxProcess } = await import(${JSON.stringify(fileURLToPath(module))});
      const { newRealWorld } = await import(${JSON.stringify(fileURLToPath(world))});
      const task = ${JSON.stringify({ ...sqlTask("", ""), childFile })};
      const query = new SandboxProcess(task, ${JSON.stringify(limits)}, newRealWorld(new AbortController().signal));
      query.answer.pipe(process.stdout);`;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      env: childEnv(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = (await once(parent.stdout, "data")) as [Buffer];
    pid = Number(printed);
    expect([isRunning(pid), folders().length]).toEqual([true, 1]);
    parent.kill("SIGKILL");
    await vi.waitUntil(() => !isRunning(pid), { timeout: 5000 });
    await vi.waitUntil(() => watchers().length === 0 && folders().length === 0, { timeout: 5000 });
  });

  it("leaves no process behind when it is closed", async () => {
    const task = { ...sqlTask("", ""), childFile };
    {
      await using query = new SandboxProcess(
        task,
        limits,
        newRealWorld(new AbortController().signal),
      );
      const [printed] = (await once(query.answer, "data")) as [Buffer];
      pid = Number(printed);
      expect(watchers()).toHaveLength(2);
    }
    expect([isRunning(pid), watchers(), folders()]).toEqual([false, [], []]);
  });
});
