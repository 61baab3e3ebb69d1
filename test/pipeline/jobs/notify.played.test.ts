import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startDestination } from "../../../fixtures/destinations/destination.ts";
import { startWebhook, type WebhookDestination } from "../../../fixtures/destinations/webhook.ts";
import { takeLock } from "../../../pipeline/home/lock.ts";
import { jobsOf } from "../../../pipeline/schedule/job.ts";
import { scheduleSchema } from "../../../schemas/schedule.ts";
import { childEnv } from "../../support/child-env.ts";
import { failureLine } from "../../support/failure.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { testKey } from "../../support/key.ts";
import { spawnCommand } from "../../support/killed.ts";

let home: TestHome;
let receiver: WebhookDestination;

beforeEach(async () => {
  home = newHome();
  receiver = await startWebhook();
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const jobs = { broken: { cron: "@hourly", activate: "nosuch" } };

function configured(schedule: object, more: object = {}): string {
  const hook = { type: "webhook", url: receiver.url, authentication: "hook", secret: "__SAVED__" };
  const lake = { type: "file", folder: "out" };
  const authentications = { hook: { env: "HOOK" } };
  const targets = { hook, lake };
  const config = { targets, authentications, schedule: { jobs, ...schedule }, ...more };
  return home.write("auditlake.json", JSON.stringify(config));
}

/** Runs a verb of the schedule to its end, as cron would; returns its exit code and what it said. */
async function called(
  file: string,
  verb: readonly string[],
  more: Record<string, string> = {},
): Promise<{ code: number; printed: string }> {
  const env = childEnv({ HOOK: JSON.stringify({ secret: receiver.secret }), ...more });
  const argv = ["--config", file, "--quiet", "schedule", ...verb];
  const { code, err } = await home.run(argv, { env });
  return { code, printed: err };
}

/** What arrived, in the form: state, exit code. */
const arrived = (): unknown[] => receiver.rows().map((row) => [row["state"], row["exit_code"]]);

/** Runs the schedule, its job overdue and failed so many times before, until `ended`; returns what it said. */
async function runUntil(ended: (printed: string) => boolean, failures: number): Promise<string> {
  const file = configured({ notify: "hook", disable_after: 2 });
  const [job] = jobsOf(scheduleSchema.parse({ jobs }));
  const never = { started_ms: null, finished_ms: null, exit_code: null, disabled_ms: null };
  const handled_ms = Date.now() - 3_600_000;
  const state = { fingerprint: job!.fingerprint, handled_ms, failures, ...never };
  home.write("home/schedule.json", JSON.stringify({ jobs: { broken: state } }));
  const env = { HOOK: JSON.stringify({ secret: receiver.secret }) };
  const child = spawnCommand(["--home", home.home, "--config", file, "schedule", "run"], env);
  let printed = "";
  child.stderr!.on("data", (part: Buffer) => (printed += part.toString()));
  while (!ended(printed) && child.exitCode === null) await pause(20);
  child.kill("SIGTERM");
  await once(child, "close");
  return printed;
}

// Seed 002, D, rule 3, and Errors, rule 6.
test("a webhook hears of a job that failed and was disabled", async () => {
  const printed = await runUntil(() => receiver.rows().length > 0, 1);
  expect(receiver.rows(), printed).toEqual([
    {
      job: "broken",
      state: "disabled",
      exit_code: 2,
      cause: expect.stringMatching(/^activation nosuch is not configured/),
      source: null,
      run_id: null,
      configuration_failures: 2,
      disable_after: 2,
      due_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/),
      finished_at: expect.stringMatching(/Z$/),
      message: expect.stringMatching(/failed over its configuration .*2 of 2.*; broken: disabled/),
      more: expect.stringMatching(/^\/.*bin\.[jt]s --config \/.* --home \/.* schedule list$/),
    },
  ]);
  expect(receiver.arrived()[0]).toMatchObject({ target: "hook", batch: 1, last: true });
});

test("a notice that does not arrive is said, and the schedule goes on", async () => {
  receiver.fault(() => ({ status: 403 }));
  const printed = await runUntil((text) => text.includes("warning: hook"), 0);
  expect(printed).toMatch(/broken: failed over its configuration \(exit code 2\), 1 of 2 times/);
  expect(printed).toMatch(
    /warning: hook may not have heard of what happened: .*answered 403.*is kept/,
  );
});

test("notify has to be a webhook whose secret is there", async () => {
  const lines = [];
  for (const notify of ["lake", "nosuch", "hook"]) {
    const file = configured({ notify });
    lines.push(failureLine(await home.run(["--config", file, "schedule", "run"]), 2, []));
  }
  expect(lines[0]).toMatch(
    /schedule.notify: found "lake"; expected a webhook or email under targets: hook/,
  );
  expect(lines[1]).toMatch(/schedule.notify: found "nosuch"; expected a webhook or email/);
  expect(lines[2]).toMatch(/authentication hook \(environment variable HOOK\) is empty/);
});

test("under cron a job that fails is told of once by its cause, and once more when it is well", async () => {
  const report = { names: ["denials_by_day"], out: "denials.csv" };
  const file = configured({ jobs: { nightly: { cron: "@daily", report } }, notify: "hook" });
  const run = ["run", "--scheduled", "nightly"];
  const first = await called(file, run);
  expect(first.code).toBe(1);
  expect((await called(file, run)).code).toBe(1);
  // It has told of itself: the unit that OnFailure= starts has nothing to add.
  expect((await called(file, ["failed", "nightly"])).code).toBe(0);
  expect(receiver.rows(), first.printed).toMatchObject([
    {
      job: "nightly",
      state: "failed",
      exit_code: 1,
      cause: expect.stringMatching(/nothing published/),
    },
  ]);
  await home.load([{ time: 1_700_000_000, event_name: "query_modify", user_id: 1 }]);
  expect(await called(file, run)).toEqual({
    code: 0,
    printed: expect.stringMatching(/^nightly: well again; .*\n$/),
  });
  expect((await called(file, run)).printed).toBe("");
  expect(arrived()).toEqual([
    ["failed", 1],
    ["well", 0],
  ]);
});

test("a notice whose receiver is gone is kept by the home, and sent by the next run of any job", async () => {
  const file = configured({
    notify: "hook",
    jobs: { ...jobs, other: { cron: "@daily", activate: "nosuch" } },
  });
  receiver.fault(() => ({ status: 403 }));
  const { code, printed } = await called(file, ["run", "--scheduled", "broken"]);
  expect(code).toBe(2);
  expect(printed).toMatch(
    /warning: hook may not have heard of what happened: .*is kept, and sent again/,
  );
  receiver.fault(undefined);
  await called(file, ["run", "--scheduled", "other"]);
  expect(receiver.rows().map(({ job }) => job)).toEqual(["broken", "other"]);
});

test("a job that cannot even start is told of by what the home keeps of the configuration, once", async () => {
  const file = configured({
    notify: "hook",
    jobs: { nightly: { cron: "@daily", activate: "nosuch" } },
  });
  const run = ["run", "--scheduled", "nightly"];
  await called(file, run);
  expect(arrived()).toEqual([["failed", 2]]);
  writeFileSync(file, '{ "schedule": SECRET-canary }');
  expect((await called(file, run)).code).toBe(2);
  expect((await called(file, run)).code).toBe(2);
  expect((await called(file, ["failed", "nightly"])).code).toBe(0);
  configured({ notify: "hook" });
  await called(file, run);
  const causes = receiver.rows().map(({ cause }) => String(cause));
  expect(causes.slice(1)).toEqual([
    expect.stringMatching(/auditlake\.json is no JSON near line 1/),
    expect.stringMatching(/^no job nightly; known: broken/),
  ]);
  expect(JSON.stringify(receiver.rows())).not.toMatch(/SECRET/);
});

test("a run that was killed is told of by its unit, and not again by the next run", async () => {
  const file = configured({ notify: "hook" });
  const [job] = jobsOf(scheduleSchema.parse({ jobs }));
  const started_ms = Date.now() - 60_000;
  const none = { finished_ms: null, exit_code: null, failures: 0, disabled_ms: null };
  const state = { fingerprint: job!.fingerprint, handled_ms: started_ms, started_ms, ...none };
  home.write("home/schedule/state.json", JSON.stringify({ jobs: { broken: state } }));
  const env = { MONITOR_SERVICE_RESULT: "oom-kill", MONITOR_EXIT_CODE: "killed" };
  const failed = ["failed", "broken"];
  {
    // Its run goes on; what failed is a unit that could not begin beside it.
    const path = join(home.home, "schedule/job-broken.lock");
    using _lock = takeLock(path, "schedule run --scheduled broken", Date.now());
    expect((await called(file, failed, env)).code).toBe(0);
    expect(receiver.rows()).toEqual([]);
  }
  expect((await called(file, failed, env)).code).toBe(0);
  expect(receiver.rows()[0]).toMatchObject({
    state: "failed",
    cause: expect.stringMatching(/was broken off: the unit failed \(oom-kill, killed\)$/),
  });
  await called(file, ["run", "--scheduled", "broken"]);
  expect(receiver.rows()).toHaveLength(2);
  expect(readFileSync(join(home.home, "schedule/state.json"), "utf8")).toContain('"notices": []');
});

test("an ingest that fails is told of with its source and run, and shows nothing of what came", async () => {
  const body = JSON.stringify({ message: `${testKey} of ann@example.com` });
  await using service = await startDestination(() => ({ status: 403, body }));
  const api_key_file = home.write("key-of-source", testKey);
  chmodSync(api_key_file, 0o600);
  const sources = { prod: { base_url: service.url, api_key_file } };
  const nightly = { cron: "@daily", ingest: {} };
  const file = configured({ notify: "hook", jobs: { nightly } }, { sources });
  expect((await called(file, ["run", "--scheduled", "nightly"])).code).toBe(4);
  const [row] = receiver.rows();
  expect(row).toMatchObject({
    job: "nightly",
    state: "failed",
    exit_code: 4,
    cause: expect.stringMatching(/403|refused/),
    source: "prod",
    more: expect.stringMatching(/ status$/),
  });
  const runs = await home.rows("select run_id from ingest_runs");
  expect(runs).toEqual([{ run_id: row!["run_id"] }]);
  expect(JSON.stringify(receiver.arrived())).not.toMatch(/ann@/);
  expect(JSON.stringify(receiver.arrived())).not.toContain(testKey);
});

test("a memory that is damaged keeps nobody from being told", async () => {
  const file = configured({ notify: "hook" });
  home.write("home/schedule/state.json", "{");
  chmodSync(home.home, 0o700);
  const { code, printed } = await called(file, ["run", "--scheduled", "broken"]);
  expect([code, printed.match(/^error:/gm)]).toEqual([1, ["error:"]]);
  expect(receiver.rows()).toMatchObject([
    { job: "broken", state: "failed", cause: expect.stringMatching(/the schedule's memory/) },
  ]);
});
