import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listJobs } from "../../../pipeline/outgoing/schedule/job.ts";
import { scheduleSchema } from "../../../schemas/schedule.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { programPath } from "../../support/killed.ts";

let home: TestHome;
let config: string;

const schedule = {
  timezone: "Europe/Oslo",
  jobs: {
    soon: { cron: "@hourly", report: { names: ["denials_by_actor"], out: "soon.csv" } },
    broken: { cron: "@hourly", ingest: {} },
    byhand: { cron: "", report: { names: ["denials_by_day"], out: "byhand.csv" } },
  },
};

beforeAll(async () => {
  home = newHome();
  config = home.write("auditlake.json", JSON.stringify({ home: home.home, schedule }));
  await home.load([{ time: 1_700_000_000, event_name: "query_modify", user_id: 1 }]);
});
afterAll(() => home[Symbol.dispose]());

const run = (...argv: string[]) => home.run(["--config", config, "schedule", ...argv]);

test("next prints local time and UTC", async () => {
  const now = { now: () => Date.parse("2026-11-21T10:00:00Z") };
  const argv = ["schedule", "next", "0 0 1 * 1", "-n", "2", "--timezone", "Europe/Oslo"];
  const { out, err } = await home.run(argv, now);
  expect(out.split("\n")).toEqual([
    "Mon 2026-11-23 00:00 GMT+1\t2026-11-22T23:00:00Z",
    "Mon 2026-11-30 00:00 GMT+1\t2026-11-29T23:00:00Z",
    "",
  ]);
  expect(err).toContain("day of week applies");
});

test.each([
  [["next", "61 * * * *"], 'minute: found "61"'],
  [["next", "@daily", "--timezone", "Mars"], '--timezone "Mars" is not a time zone'],
  [["next", "0", "0", "1", "*", "1"], "found 5 arguments; expected one: put the fields in quotes"],
  [["next", "@daily", "-n", "0"], "Expected a whole number from 1"],
  [["run", "--once", "nosuch"], "no job nosuch; known: broken, byhand, soon"],
  [["install"], "expected one of --cron and --systemd"],
  [["install", "--systemd", "--user", "a b"], '--user "a b" is not a valid user name'],
  [["run", "--once", "soon", "--scheduled", "soon"], "expected one of them"],
  [["enable", "soon"], "job soon is not disabled"],
  [["failed", "nosuch"], "no job nosuch; known: broken, byhand, soon"],
])("the job %j is refused", async (argv, message) => {
  const { code, err } = await run(...argv);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("an empty schedule prints where jobs are configured", async () => {
  const { code, err } = await home.run(["schedule", "list"]);
  expect(code).toBe(2);
  expect(err).toContain("nothing under schedule.jobs");
});

test.each([
  [{ cron: "0 0 * *", ingest: {} }, "has 4 fields"],
  [{ cron: "@daily" }, "expected exactly one of ingest, report, export, activate, page"],
  [{ cron: "@daily", ingest: {}, activate: "x" }, "found ingest and activate"],
  [{ cron: "@daily", timezone: "Mars", ingest: {} }, "expected a time zone"],
])("a job such as %j is refused with its key", async (job, message) => {
  const file = home.write("wrong.json", JSON.stringify({ schedule: { jobs: { nightly: job } } }));
  const { code, err } = await home.run(["--config", file, "schedule", "list"]);
  expect(code).toBe(2);
  expect(err).toContain("schedule.jobs.nightly");
  expect(err).toContain(message);
});

test("a job that delivers to no target, or activates nothing, is reported before its first run", async () => {
  const nightly = { cron: "@daily" };
  const jobs = {
    sends: { ...nightly, export: { report: "denials_by_day", to: "nowhere" } },
    activates: { ...nightly, activate: "nothing" },
    whole: { ...nightly, activate: { from_workflow: "w.yml" } },
  };
  const file = home.write("lost.json", JSON.stringify({ home: home.home, schedule: { jobs } }));
  const lines = [
    "job sends: target nowhere is not configured; known: none",
    "job activates: activation nothing is not configured; known: none",
  ];
  const listed = await home.run(["--config", file, "schedule", "list"]);
  expect(listed).toMatchObject({ code: 0 });
  expect(listed.err).toBe(lines.map((line) => `warning: ${line}\n`).join(""));
  const installed = await home.run(["--config", file, "schedule", "install", "--cron"]);
  expect(installed).toMatchObject({ code: 2, err: `error: ${lines[0]}\n` });
});

test("a job is run by hand, with its own exit code", async () => {
  expect((await run("run", "--once", "byhand")).code).toBe(0);
  expect(existsSync(join(home.folder, "byhand.csv"))).toBe(true);
  expect((await run("run", "--once", "broken")).code).toBe(2);
});

test("the runner makes up for missed runs, remembers them, and ends cleanly at SIGTERM", async () => {
  const overdue = listJobs(scheduleSchema.parse(schedule)).map(({ name, fingerprint }) => [
    name,
    {
      fingerprint,
      handled_ms: Date.now() - 5 * 3_600_000,
      started_ms: null,
      finished_ms: null,
      exit_code: null,
      failures: name === "broken" ? 4 : 0,
      disabled_ms: null,
    },
  ]);
  // Where versions before 0.2 kept it.
  home.write("home/schedule.json", JSON.stringify({ jobs: Object.fromEntries(overdue) }));
  const runner = spawn(process.execPath, [programPath, "--config", config, "schedule", "run"]);
  await hasPrinted(runner, /broken: disabled[^]*soon: done|soon: done[^]*broken: disabled/);
  const second = await run("run");
  expect(second.code).toBe(5);
  expect(second.err).toContain(`auditlake schedule run (process ${runner.pid}`);
  runner.kill("SIGTERM");
  expect(await once(runner, "close")).toEqual([0, null]);
  expect(existsSync(join(home.folder, "soon.csv"))).toBe(true);

  const states = async (): Promise<unknown> => {
    const { out } = await run("list", "--format", "json");
    const jobs = JSON.parse(out) as Record<string, string>[];
    return jobs.map((row) => [row["job"], row["state"], row["exit_code"]]);
  };
  const others = [
    ["byhand", "by hand", null],
    ["soon", "scheduled", "0"],
  ];
  expect(await states()).toEqual([["broken", "disabled", "2"], ...others]);
  expect((await run("enable", "broken")).code).toBe(0);
  expect(await states()).toEqual([["broken", "scheduled", "2"], ...others]);
  expect(readFileSync(join(home.home, "schedule/state.json"), "utf8")).not.toContain(
    '"failures": 5',
  );
});

test("the installed schedule has absolute paths, and names what cron and systemd do not inherit", async () => {
  const sources = { prod: { base_url: "https://service.example" } };
  const authentications = { hook: { env: "HOOK" } };
  const hook = { type: "webhook", url: "https://soc.example/", authentication: "hook" };
  const targets = { hook: { ...hook, secret: "__SAVED__" } };
  const file = home.write(
    "a b.json",
    JSON.stringify({ sources, authentications, targets, schedule }),
  );
  const env = { AUDITLAKE_BASE_URL: "https://service.example", AUDITLAKE_API_KEY: "SECRET" };
  const argv = ["--config", file, "schedule", "install"];
  const { code, out, err } = await home.run([...argv, "--cron"], { env });
  expect(code).toBe(0);
  const words = `${process.execPath} ${programPath} --config '${file}' --home ${home.home} --quiet schedule run --scheduled`;
  expect(out).toContain(`\n0 * * * *  cd ${home.folder} && ${words} soon\n`);
  expect(out).not.toMatch(/npx|byhand/);
  expect(err.match(/^warning: .*/gm)).toEqual([
    expect.stringMatching(/sources.prod: .* AUDITLAKE_API_KEY, .* sources.prod.api_key_file$/),
    expect.stringMatching(/authentications.hook .* HOOK, .* file with mode 600/),
    expect.stringMatching(/schedule.notify is not set: no target is notified/),
  ]);
  const units = await home.run([...argv, "--systemd", "--user", "audit"], { env });
  expect(units.out.match(/^ExecStart=.*/gm)).toEqual([
    expect.stringContaining(`"${file}"`),
    expect.stringMatching(/ --scheduled soon$/),
    expect.stringMatching(/ schedule failed %i$/),
  ]);
  const bare = home.write("bare.json", JSON.stringify({ schedule }));
  const incomplete = await home.run(["--config", bare, "schedule", "install", "--cron"], { env });
  expect(incomplete.err).toContain("sources.default.base_url is missing");
});

test("a damaged state of the schedule is reported and retained", async () => {
  const path = home.write("home/schedule/state.json", "{");
  const { code, err } = await run("list");
  expect(code).toBe(1);
  expect(err).toContain("is not a valid schedule state file; move it aside");
  expect(readFileSync(path, "utf8")).toBe("{");
});

function hasPrinted(child: ChildProcess, text: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let all = "";
    child.stderr!.on("data", (part: Buffer) => {
      all += part.toString();
      if (text.test(all)) resolve();
    });
    child.once("close", () => reject(new Error(`ended early: ${all}`)));
  });
}

test("a job without a source reads all of them: missing settings are reported for each, and reports read one", async () => {
  using own = newHome();
  const config = {
    sources: { east: { base_url: "https://east.example" }, west: { api_key_file: "/west/key" } },
    schedule: {
      jobs: {
        nightly: { cron: "15 2 * * *", ingest: {} },
        denials: {
          cron: "0 6 * * *",
          report: { names: ["denials_list"], out: "d.csv", source: "east" },
        },
      },
    },
  };
  const file = own.write("auditlake.json", JSON.stringify(config));
  const env = { AUDITLAKE_SOURCE: "east" };
  const { code, err } = await own.run(["--config", file, "schedule", "install", "--cron"], { env });
  expect(code, err).toBe(0);
  expect(err).toMatch(/sources\.east: the key .* AUDITLAKE_API_KEY/);
  expect(err).toContain("sources.west.base_url is missing");
  expect(err).not.toContain("sources.west: the key");
  const jobs = listJobs(scheduleSchema.parse(config.schedule));
  expect(jobs.map(({ argv }) => argv)).toEqual([
    ["report", "run", "denials_list", "--out", "d.csv", "--source", "east"],
    ["ingest"],
  ]);
});

test("a job with a missing parameter of its report is reported, and not installed", async () => {
  using own = newHome();
  await own.load([{ time: 1_700_000_000, event_name: "query_modify", user_id: 1 }]);
  const query = "-- title: A\n-- grain: b\n-- param: who text required\nselect $who as who\n";
  own.write("queries/of_whom.sql", query);
  const job = (more: object) => ({ cron: "@hourly", report: { names: ["of_whom"], ...more } });
  const file = (name: string, jobs: object): string =>
    own.write(name, JSON.stringify({ queries: "queries", schedule: { jobs } }));
  const incompleteFile = file("incomplete.json", {
    a: job({ out: "a.csv" }),
    b: job({ out: "b.csv", params: { whom: "x" } }),
  });
  const listed = await own.run(["--config", incompleteFile, "schedule", "list"]);
  expect(listed.code, listed.err).toBe(0);
  expect(listed.err.match(/^warning: .*/gm)).toEqual([
    expect.stringMatching(
      /^warning: job a: report of_whom needs --param who=… \(params in the configuration\)/,
    ),
    expect.stringMatching(
      /^warning: job b: unknown parameter "whom"; of_whom takes who text required$/,
    ),
  ]);
  const installed = await own.run(["--config", incompleteFile, "schedule", "install", "--cron"]);
  expect([installed.code, installed.out]).toEqual([2, ""]);
  expect(installed.err).toMatch(/^error: job a: report of_whom needs --param who=…/m);
  const whole = file("whole.json", { a: job({ out: "a.csv", params: { who: "it's me" } }) });
  const argv = ["--config", whole, "--home", own.home, "schedule"];
  const list = await own.run([...argv, "list", "--format", "json"]);
  expect([list.code, list.err]).toEqual([0, ""]);
  expect(JSON.parse(list.out)).toMatchObject([
    { does: String.raw`report run of_whom --out a.csv --param 'who=it'\''s me'` },
  ]);
  const once = await own.run([...argv, "run", "--once", "a"], { env: process.env });
  expect(once.code, once.err).toBe(0);
  expect(readFileSync(resolve(own.folder, "a.csv"), "utf8")).toBe('who\r\n"it\'s me"\r\n');
});
