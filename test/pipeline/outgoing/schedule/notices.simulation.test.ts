import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startDestination } from "../../../../fixtures/destinations/destination.ts";
import { refusalsUnder200 } from "../../../../fixtures/destinations/refusals.ts";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { listJobs } from "../../../../pipeline/outgoing/schedule/job.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";
import { testKey } from "../../../support/key.ts";
import { spawnCommand } from "../../../support/killed.ts";
import { jobs, newListener } from "./listener.ts";

// Notices of jobs that cron starts one by one.

const listener = newListener();
const { configured, called } = listener;

/** What arrived, in the form: state, exit code. */
const listArrived = (): unknown[] =>
  listener.receiver.rows().map((row) => [row["state"], row["exit_code"]]);

test("a failing job under cron is reported once per cause, and once when it has recovered", async () => {
  const report = { names: ["denials_by_day"], out: "denials.csv" };
  const file = configured({ jobs: { nightly: { cron: "@daily", report } }, notify: "hook" });
  const run = ["run", "--scheduled", "nightly"];
  const first = await called(file, run);
  expect(first.code).toBe(1);
  expect((await called(file, run)).code).toBe(1);
  // It has reported its failure: the unit that OnFailure= starts has nothing to add.
  expect((await called(file, ["failed", "nightly"])).code).toBe(0);
  expect(listener.receiver.rows(), first.printed).toMatchObject([
    {
      job: "nightly",
      state: "failed",
      exit_code: 1,
      cause: expect.stringMatching(/nothing published/),
    },
  ]);
  await listener.home.load([{ time: 1_700_000_000, event_name: "query_modify", user_id: 1 }]);
  expect(await called(file, run)).toEqual({
    code: 0,
    printed: expect.stringMatching(/^nightly: recovered; .*\n$/),
  });
  expect((await called(file, run)).printed).toBe("");
  expect(listArrived()).toEqual([
    ["failed", 1],
    ["well", 0],
  ]);
});

test("a notice whose receiver is unreachable is stored in the home, and sent by the next run of any job", async () => {
  const file = configured({
    notify: "hook",
    jobs: { ...jobs, other: { cron: "@daily", activate: "nosuch" } },
  });
  listener.receiver.fault(() => ({ status: 403 }));
  const { code, printed } = await called(file, ["run", "--scheduled", "broken"]);
  expect(code).toBe(2);
  expect(printed).toMatch(
    /warning: hook may not have received a notification: .*is retained and sent again/,
  );
  listener.receiver.fault(undefined);
  await called(file, ["run", "--scheduled", "other"]);
  expect(listener.receiver.rows().map(({ job }) => job)).toEqual(["broken", "other"]);
});

test("a notice that is answered 200 with a refusal is stored and resent, and a run without another fault exits with 6", async () => {
  const report = { names: ["denials_by_day"], out: "denials.csv" };
  const file = configured({
    notify: "hook",
    jobs: { ...jobs, well: { cron: "@daily", report } },
  });
  await listener.home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  for (const answer of [0, 10, 23, 25].map((at) => refusalsUnder200[at]!)) {
    listener.receiver.fault(() => answer);
    const broken = await called(file, ["run", "--scheduled", "broken"]);
    expect(broken.code, answer.body).toBe(2);
    expect(broken.printed).toMatch(
      /warning: hook may not have received a notification: it answered with a success status, but its body contains a refusal; it is retained/,
    );
  }
  expect((await called(file, ["run", "--scheduled", "well"])).code).toBe(6);
  listener.receiver.fault(undefined);
  expect((await called(file, ["run", "--scheduled", "well"])).code).toBe(0);
  expect(new Set(listArrived().map(String))).toEqual(new Set(["failed,2"]));
});

test("a job that cannot start is reported once, by the retained part of the configuration", async () => {
  const file = configured({
    notify: "hook",
    jobs: { nightly: { cron: "@daily", activate: "nosuch" } },
  });
  const run = ["run", "--scheduled", "nightly"];
  await called(file, run);
  expect(listArrived()).toEqual([["failed", 2]]);
  writeFileSync(file, '{ "schedule": SECRET-canary }');
  expect((await called(file, run)).code).toBe(2);
  expect((await called(file, run)).code).toBe(2);
  expect((await called(file, ["failed", "nightly"])).code).toBe(0);
  configured({ notify: "hook" });
  await called(file, run);
  const causes = listener.receiver.rows().map(({ cause }) => String(cause));
  expect(causes.slice(1)).toEqual([
    expect.stringMatching(/auditlake\.json is not valid JSON near line 1/),
    expect.stringMatching(/^no job nightly; known: broken/),
  ]);
  expect(JSON.stringify(listener.receiver.rows())).not.toMatch(/SECRET/);
});

test("jobs that cron starts in the same minute overwrite no state of each other", async () => {
  const names = ["a", "b", "c"];
  const same = Object.fromEntries(names.map((name) => [name, jobs.broken]));
  const file = configured({ notify: "hook", jobs: same });
  const at = ["--home", listener.home.home, "--config", file, "--quiet"];
  const argv = [...at, "schedule", "run", "--scheduled"];
  const children = names.map((name) => spawnCommand([...argv, name], listener.env()));
  await Promise.all(children.map((child) => once(child, "close")));
  expect(listener.receiver.rows().map(({ job }) => job)).toHaveLength(names.length);
  expect(new Set(listener.receiver.rows().map(({ job }) => job))).toEqual(new Set(names));
  const state = JSON.parse(
    readFileSync(join(listener.home.home, "schedule/state.json"), "utf8"),
  ) as {
    jobs: Record<string, { failures: number }>;
  };
  expect(names.map((name) => state.jobs[name]?.failures)).toEqual([1, 1, 1]);
});

test("a killed run is reported by its unit, and not again by the next run", async () => {
  const file = configured({ notify: "hook" });
  const [job] = listJobs(scheduleSchema.parse({ jobs }));
  const started_ms = Date.now() - 60_000;
  const none = { finished_ms: null, exit_code: null, failures: 0, disabled_ms: null };
  const state = { fingerprint: job!.fingerprint, handled_ms: started_ms, started_ms, ...none };
  listener.home.write("home/schedule/state.json", JSON.stringify({ jobs: { broken: state } }));
  const env = { MONITOR_SERVICE_RESULT: "oom-kill", MONITOR_EXIT_CODE: "killed" };
  const failed = ["failed", "broken"];
  {
    // Its run continues; the failed unit could not start beside it.
    const path = join(listener.home.home, "schedule/job-broken.lock");
    using _lock = takeLock(path, "schedule run --scheduled broken", Date.now());
    expect((await called(file, failed, env)).code).toBe(0);
    expect(listener.receiver.rows()).toEqual([]);
  }
  expect((await called(file, failed, env)).code).toBe(0);
  expect(listener.receiver.rows()[0]).toMatchObject({
    state: "failed",
    cause: expect.stringMatching(/was interrupted: the unit failed \(oom-kill, killed\)$/),
  });
  await called(file, ["run", "--scheduled", "broken"]);
  expect(listener.receiver.rows()).toHaveLength(2);
  expect(readFileSync(join(listener.home.home, "schedule/state.json"), "utf8")).toContain(
    '"notices": []',
  );
});

test("a job that cron starts during its own run is no failure, unless that has run for half a day", async () => {
  const file = configured({ notify: "hook" });
  const scheduled = ["run", "--scheduled", "broken"];
  const path = join(listener.home.home, "schedule/job-broken.lock");
  const start = async (hoursAgo: number): Promise<number> => {
    using _lock = takeLock(path, "schedule run --scheduled broken", Date.now() - hoursAgo * 3.6e6);
    return (await called(file, scheduled)).code;
  };
  listener.home.write("home/schedule/none", "");
  chmodSync(listener.home.home, 0o700);
  expect(await start(3)).toBe(5);
  expect(listener.receiver.rows()).toEqual([]);
  expect(await start(13)).toBe(5);
  expect(listener.receiver.rows()).toMatchObject([
    { state: "failed", cause: expect.stringMatching(/^locked: auditlake schedule run/) },
  ]);
});

test("a failed ingest is reported with its source and run, and without received data", async () => {
  const body = JSON.stringify({ message: `${testKey} of ann@example.com` });
  await using service = await startDestination(() => ({ status: 403, body }));
  const api_key_file = listener.home.write("key-of-source", testKey);
  chmodSync(api_key_file, 0o600);
  const sources = { prod: { base_url: service.url, api_key_file } };
  const nightly = { cron: "@daily", ingest: {} };
  const file = configured({ notify: "hook", jobs: { nightly } }, { sources });
  expect((await called(file, ["run", "--scheduled", "nightly"])).code).toBe(4);
  const [row] = listener.receiver.rows();
  expect(row).toMatchObject({
    job: "nightly",
    state: "failed",
    exit_code: 4,
    cause: expect.stringMatching(/403|refused/),
    source: "prod",
    more: expect.stringMatching(/ status$/),
  });
  const runs = await listener.home.rows("select run_id from ingest_runs");
  expect(runs).toEqual([{ run_id: row!["run_id"] }]);
  expect(JSON.stringify(listener.receiver.arrived())).not.toMatch(/ann@/);
  expect(JSON.stringify(listener.receiver.arrived())).not.toContain(testKey);
});

test("a damaged state file does not prevent notices", async () => {
  const file = configured({ notify: "hook" });
  listener.home.write("home/schedule/state.json", "{");
  chmodSync(listener.home.home, 0o700);
  const { code, printed } = await called(file, ["run", "--scheduled", "broken"]);
  expect([code, printed.match(/^error:/gm)]).toEqual([1, ["error:"]]);
  expect(listener.receiver.rows()).toMatchObject([
    { job: "broken", state: "failed", cause: expect.stringMatching(/schedule state file/) },
  ]);
});
