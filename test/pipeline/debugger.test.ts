import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { childEnv } from "../support/child-env.ts";
import { newHome } from "../support/home.ts";
import { programPath } from "../support/killed.ts";

// Node opens its debugger in a process that gets SIGUSR1, and a client that reaches it reads the key out of its memory.

/** Whether something answers where Node's debugger would. */
function isDebuggerOpen(): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(9229, "127.0.0.1");
    socket.on("error", () => done(false)).on("connect", () => done(socket.destroy() !== undefined));
  });
}

// A debugger prints where it listens, and takes a moment for it.
async function signal(pid: number): Promise<boolean> {
  for (let i = 0; i < 5; i++) {
    process.kill(pid, "SIGUSR1");
    await wait(40);
    if (await isDebuggerOpen()) return true;
  }
  return false;
}

it("no signal opens a debugger in the process of a verb", async () => {
  const argv = [programPath, "simulate", "--port", "0", "--days", "1"];
  const child = spawn(process.execPath, argv, {
    env: childEnv(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    // It says where it listens once it does.
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data")]);
    expect(await isDebuggerOpen()).toBe(false);
    expect(await signal(child.pid!)).toBe(false);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  } finally {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
});

/** The process of the query that a process started; undefined while there is none. */
const getQuery = (pid: number): number | undefined =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((one) => {
      try {
        const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${one}/stat`, "utf8")) ?? [];
        // Its memory first has the text of the process that started it, then that of a shell.
        const words = readFileSync(`/proc/${one}/cmdline`, "utf8").split("\0");
        return Number(parent) === pid && words[0] === process.execPath && !words.includes("sql");
      } catch {
        return false;
      }
    });

function catches(pid: number): boolean {
  const [, mask = "0"] =
    /^SigCgt:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  const usr1 = 10;
  return (BigInt(`0x${mask}`) & (1n << BigInt(usr1 - 1))) !== 0n;
}

it.skipIf(process.platform !== "linux")(
  "no signal opens a debugger in the process of a query",
  async () => {
    using home = newHome();
    expect((await home.load([{ time: 1, event_name: "job_kill" }])).code).toBe(0);
    const slow =
      "select count(*) from range(1000000) a(i), range(1000000) b(j) where i * j % 7 = 3";
    const argv = [programPath, "--home", home.home, "sql", slow, "--timeout", "60s"];
    const child = spawn(process.execPath, argv, { env: childEnv(), stdio: "ignore" });
    try {
      let query = getQuery(child.pid!);
      while (query === undefined && child.exitCode === null) {
        await wait(20);
        query = getQuery(child.pid!);
      }
      // It begins with what it loads; only then does it catch a signal.
      while (!catches(query!)) await wait(20);
      expect(await signal(query!)).toBe(false);
      expect(getQuery(child.pid!)).toBe(query);
    } finally {
      child.kill("SIGTERM");
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    }
  },
);
