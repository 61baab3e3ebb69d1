import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childEnv } from "../../support/child-env.ts";
import { programPath } from "../../support/killed.ts";
import { watchOutput } from "../../support/output.ts";
import { dayMs, eventAt, newRemote, type Remote } from "../../support/remote.ts";

// Two processes on one home: one gets the lock, the other exits at once, and a killed one does not block.

const today = Math.floor(Date.now() / dayMs) * dayMs;

let remote: Remote;
const children: ReturnType<typeof spawn>[] = [];
beforeEach(async () => {
  remote = await newRemote(Date.now());
  await remote.serve([eventAt(today - dayMs), eventAt(today - 1000)]);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await remote[Symbol.asyncDispose]();
});

function start(...argv: string[]) {
  const child = spawn(process.execPath, [programPath, "--home", remote.home.home, ...argv], {
    env: childEnv(remote.env()),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.resume();
  watchOutput(child);
  children.push(child);
  let err = "";
  child.stderr.on("data", (part: Buffer) => (err += part.toString()));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, err }));
  return { pid: child.pid!, ended, kill: () => child.kill("SIGKILL") };
}

const lock = (): string => join(remote.home.home, "run.lock");

/** An ingest that has the lock and waits for an answer that never comes. */
async function hanging() {
  remote.fault(() => new Promise<boolean>(() => undefined));
  const run = start("ingest");
  for (
    let i = 0;
    !existsSync(lock()) || !readFileSync(lock(), "utf8").includes(String(run.pid));
    i++
  ) {
    if (i > 4000) throw new Error("it never took the lock");
    await wait(5);
  }
  return run;
}

describe("a second run", () => {
  it.each(["ingest", "import", "rebuild", "publish"])(
    "of %s ends at once with exit code 5 and names the holder",
    async (verb) => {
      const first = await hanging();
      mkdirSync(join(remote.home.home, "landing"), { recursive: true });
      const file = remote.home.write("a.ndjson", '{"time":1770000000,"event_name":"job_kill"}\n');
      const second = start(verb, ...(verb === "import" ? [file] : []));
      const { code, err } = await second.ended;
      expect([code, err]).toEqual([5, err]);
      expect(err).toMatch(
        new RegExp(
          `^error: locked: auditlake ingest \\(process ${first.pid} on \\S+\\) has been running since \\S+Z; wait for it or stop it$`,
          "m",
        ),
      );
    },
  );

  it("gets the lock after the first was killed, and loads everything", async () => {
    const first = await hanging();
    first.kill();
    await first.ended;
    remote.fault(undefined);
    const { code, err } = await start("ingest").ended;
    expect([code, err]).toEqual([0, err]);
    expect(await remote.home.count("select count(*) from events")).toBe(2);
    expect(existsSync(lock())).toBe(false);
  });

  it("of two that start together gets the lock, or exits", async () => {
    // The service does not answer before one of them has exited.
    const both = [start("ingest").ended, start("ingest").ended];
    remote.fault(async () => {
      await Promise.race(both);
      return false;
    });
    const codes = (await Promise.all(both)).map(({ code }) => code);
    expect(codes.sort()).toEqual([0, 5]);
    expect(await remote.home.count("select count(*) from ingest_runs")).toBe(1);
  });
});
