import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startWebhook } from "../../../../fixtures/destinations/webhook.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { lockState, takeLock } from "../../../../pipeline/base/home/lock.ts";
import {
  getJobLock,
  lockSchedule,
  scheduleFile,
} from "../../../../pipeline/outgoing/schedule/jobs.ts";
import type { World } from "../../../../pipeline/base/world.ts";
import type { Outcome } from "../../../support/command.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

// What a schedule does before its first job, and a job before its work.

let home: TestHome;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home[Symbol.dispose]());

const config = {
  targets: {
    hook: {
      type: "webhook",
      url: "https://soc.example.com",
      secret: "__SAVED__",
      authentication: "a",
    },
  },
  authentications: { a: { env: "HOOK" } },
  schedule: {
    notify: "hook",
    jobs: {
      lost: { cron: "@daily", activate: "nosuch" },
      often: { cron: "0 0 1 * 1", ingest: {} },
    },
  },
};
const nowMs = Date.parse("2026-11-21T10:30:00Z");

/** Runs the schedule, which is ended as soon as it waits for its first job, or one job as a timer does. */
function runScheduled(argv: readonly string[] = [], more: Partial<World> = {}): Promise<Outcome> {
  const file = home.write("auditlake.json", JSON.stringify(config));
  const stop = new AbortController();
  const sleep = (): Promise<void> => Promise.resolve(stop.abort());
  const world = { env: { HOOK: '{"secret":"CANARY"}' }, now: () => nowMs, sleep, ...more };
  const { signal } = stop;
  return home.run(["--config", file, "schedule", "run", ...argv], { ...world, signal });
}

const listKept = (name: string): unknown =>
  JSON.parse(readFileSync(scheduleFile(resolveHome(home.home), name), "utf8"));
const readable = /^warning: home \/\S+ has mode 755, expected 700: others may read it/;

it("the schedule reports the jobs at its start, stores them with their targets, and releases the lock", async () => {
  mkdirSync(home.home);
  chmodSync(home.home, 0o755);
  const { code, err } = await runScheduled();
  expect([code, err.trimEnd().split("\n")]).toEqual([
    0,
    [
      expect.stringMatching(readable),
      "warning: job lost: activation nosuch is not configured; known: none",
      expect.stringMatching(/^often: .*day of week applies/),
      "2 jobs; Ctrl-C ends the schedule",
    ],
  ]);
  expect(listKept("state.json")).toMatchObject({ jobs: { lost: {}, often: {} } });
  expect(listKept("notify.json")).toMatchObject({ config: { schedule: { notify: ["hook"] } } });
  expect(lockState(scheduleFile(resolveHome(home.home), "schedule.lock")).state).not.toBe("held");
  const quiet = await runScheduled(["--quiet"]);
  expect(quiet.err.trimEnd().split("\n")).toHaveLength(3);
});

it("the schedule is not started while another one runs, or with a damaged state", async () => {
  {
    using _lock = lockSchedule(resolveHome(home.home), "schedule run", nowMs);
    expect(await runScheduled()).toMatchObject({
      code: 5,
      err: expect.stringMatching(/^error: locked/),
    });
  }
  const incomplete = await runScheduled([], { env: {} });
  expect(incomplete).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^error: .*HOOK\) is empty/),
  });
  expect(existsSync(scheduleFile(resolveHome(home.home), "notify.json"))).toBe(false);
  home.write("home/schedule/state.json", "{");
  chmodSync(home.home, 0o700);
  const { code, err } = await runScheduled();
  expect([code, err]).toEqual([1, expect.stringMatching(/^error: .*schedule state file.*\n$/)]);
});

it.each([[[]], [["--scheduled", "often"]]])(
  "the schedule with %j starts nothing in a home that others may write to",
  async (argv) => {
    mkdirSync(home.home);
    chmodSync(home.home, 0o777);
    const { code, err } = await runScheduled(argv, { env: {} });
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^error: home .* others may write to it/m),
    ]);
    expect(existsSync(join(home.home, "schedule", "notify.json"))).toBe(false);
  },
);

it("the schedule retains the targets of a job also during its previous run, and prints who may read", async () => {
  home.write("home/schedule/none", "");
  chmodSync(home.home, 0o755);
  using _lock = takeLock(getJobLock(resolveHome(home.home), "often"), "schedule run", nowMs);
  const { code, err } = await runScheduled(["--scheduled", "often"]);
  expect([code, err.trimEnd().split("\n")]).toEqual([
    5,
    [
      expect.stringMatching(readable),
      expect.stringMatching(/^often: skipped, because its run .* is still active/),
    ],
  ]);
  expect(listKept("notify.json")).toMatchObject({ config: { schedule: { notify: ["hook"] } } });
});

it("the schedule reports its own failure, and stores an undelivered notice", async () => {
  await using receiver = await startWebhook({ now: () => nowMs });
  const { hook } = config.targets;
  const targets = { hook: { ...hook, url: receiver.url } };
  const file = home.write("auditlake.json", JSON.stringify({ ...config, targets }));
  const breakOff = () =>
    home.run(["--config", file, "--quiet", "schedule", "run"], {
      env: { HOOK: JSON.stringify({ secret: receiver.secret }) },
      now: () => nowMs,
      sleep: () => Promise.reject(new Error("no clock")),
    });
  receiver.fault(() => ({ status: 403 }));
  const unheard = /^warning: hook may not have received .* answered 403.*retained and sent again$/m;
  expect(await breakOff()).toMatchObject({ code: 1, err: expect.stringMatching(unheard) });
  expect(listKept("state.json")).toMatchObject({
    notices: [{ job: "schedule", cause: "no clock" }],
  });
  receiver.fault(undefined);
  expect(await breakOff()).toMatchObject({ code: 1, err: expect.not.stringMatching(unheard) });
  const row = { job: "schedule", state: "failed", cause: "no clock" };
  expect(receiver.rows()).toMatchObject([row]);
  expect(listKept("state.json")).toMatchObject({ notices: [] });
});
