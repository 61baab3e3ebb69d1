import { expect, test } from "vitest";
import { exitCode } from "../../../../pipeline/base/errors.ts";
import { hourMs, minuteMs, play as playWith, start, type Play, type Played, stay } from "./play.ts";

const play = (how: Play): Promise<Played> => playWith(how, stay);

const hourly = { cron: "@hourly", ingest: {} };

test("jobs run at their scheduled times, in that order", async () => {
  const jobs = { a: hourly, b: { cron: "30 * * * *", activate: "x" } };
  const { runs } = await play({ jobs, untilMs: start + 2 * hourMs + minuteMs });
  expect(runs).toEqual(["11:00 a", "11:30 b", "12:00 a", "12:30 b"]);
});

test("a job that takes longer than its interval does not overlap and is made up for once", async () => {
  const { runs } = await play({
    jobs: { slow: { cron: "*/10 * * * *", ingest: {} } },
    untilMs: start + hourMs,
    run: (_, nowMs) => ({ tookMs: nowMs < start + 11 * minuteMs ? 35 * minuteMs : 1000, code: 0 }),
  });
  expect(runs).toEqual(["10:40 slow", "11:15 slow", "11:20 slow"]);
});

test("runs missed during the machine's sleep are made up for once", async () => {
  const { runs } = await play({
    jobs: { a: hourly },
    untilMs: start + 6 * hourMs,
    jump: { atMs: start + 40 * minuteMs, byMs: 4 * hourMs },
  });
  expect(runs.map((run) => run.slice(0, 2))).toEqual(["11", "15", "16"]);
});

test("runs missed while the runner was stopped are made up for once, except for new jobs", async () => {
  const first = await play({ jobs: { a: hourly }, untilMs: start + hourMs });
  const { runs } = await play({
    jobs: { a: hourly, b: hourly },
    before: first.state,
    fromMs: start + 5 * hourMs,
    untilMs: start + 5 * hourMs + 10 * minuteMs,
  });
  expect(runs).toEqual(["15:30 a"]);
});

test("a job whose schedule has another zone starts with its next run there", async () => {
  const jobs = { a: { cron: "0 23 * * *", ingest: {} } };
  const { state } = await play({ jobs, untilMs: start + 13 * hourMs });
  const later = { jobs, fromMs: start + 18 * hourMs, untilMs: start + 42 * hourMs };
  expect((await play({ ...later, before: state })).runs).toEqual(["23:00 a"]);
  const moved = await play({ ...later, before: state, timezone: "America/New_York" });
  expect(moved.runs).toEqual(["04:00 a"]);
});

test("the state of an earlier version without a zone is valid", async () => {
  const jobs = { a: hourly };
  const first = await play({ jobs, untilMs: start + hourMs });
  const { timezone: _zone, ...known } = first.state.jobs["a"]!;
  const before = { ...first.state, jobs: { a: known } };
  const fromMs = start + 5 * hourMs;
  const { runs } = await play({ jobs, before, fromMs, untilMs: fromMs + 10 * minuteMs });
  expect(runs).toEqual(["15:30 a"]);
});

test.each([exitCode.usage, exitCode.refused])(
  "repeated failures of the configuration (exit code %i) disable a job",
  async (code) => {
    const { runs, printed, state } = await play({
      jobs: { a: hourly },
      untilMs: start + 12 * hourMs,
      run: () => ({ tookMs: 1000, code }),
      disableAfter: 3,
    });
    expect(runs).toHaveLength(3);
    expect(
      printed.filter((line) => line.includes("failed because of its configuration")),
    ).toHaveLength(3);
    expect(printed.at(-1)).toMatch(
      /^a: disabled; correct its configuration or the files that it names, or run auditlake schedule enable a/,
    );
    expect(state.jobs["a"]?.disabled_ms).not.toBeNull();

    const fixed = { a: { cron: "@hourly", ingest: { source: "other" } } };
    const fromMs = start + 12 * hourMs;
    const again = await play({ jobs: fixed, before: state, fromMs, untilMs: fromMs + hourMs });
    expect(again.runs).toEqual(["23:00 a"]);
  },
);

test("other failures never disable a job, and a success resets the count", async () => {
  const codes = [2, 2, 0, 2, 2, 1, 2, 2, 6, 1, 1, 1];
  const { runs } = await play({
    jobs: { a: hourly },
    untilMs: start + 12 * hourMs,
    run: () => ({ tookMs: 1000, code: codes.shift() ?? 0 }),
    disableAfter: 3,
  });
  expect(runs).toHaveLength(12);
});

// Seed 002, Errors, rule 6: disabled after several notifications.
test("each failure of the configuration is notified, and with the last one the disabling", async () => {
  const codes = [1, 2, 0, exitCode.locked, 2, 2, 2];
  const { notices } = await play({
    jobs: { a: hourly },
    untilMs: start + 12 * hourMs,
    run: () => ({ tookMs: 1000, code: codes.shift() ?? 0 }),
    disableAfter: 3,
  });
  expect(notices.map((n) => [n.exit_code, n.configuration_failures, n.state])).toEqual([
    [1, 0, "failed"],
    [2, 1, "failed"],
    [0, 0, "well"],
    [2, 1, "failed"],
    [2, 2, "failed"],
    [2, 3, "disabled"],
  ]);
  expect(notices[0]).toMatchObject({ job: "a", message: "a: ended with exit code 1" });
  expect(notices.at(-1)?.message).toMatch(/3 of 3; a: disabled; correct its/);
});

test("a job that is interrupted by the end is no failure to notify", async () => {
  const { notices } = await play({
    jobs: { a: hourly },
    untilMs: start + 40 * minuteMs,
    run: () => ({ tookMs: 20 * minuteMs, code: exitCode.interrupted }),
  });
  expect(notices).toEqual([]);
});

test("a job that finds the lock held is retried until it gets it", async () => {
  const codes = [exitCode.locked, exitCode.locked, 0];
  const { runs, state } = await play({
    jobs: { a: hourly },
    untilMs: start + hourMs,
    run: () => ({ tookMs: 0, code: codes.shift() ?? 0 }),
  });
  expect(runs).toEqual(["11:00 a", "11:01 a", "11:02 a"]);
  expect(state.jobs["a"]?.handled_ms).toBe(Date.parse("2026-11-21T11:00:00Z"));
});

test("a job that is interrupted by the end is pending again", async () => {
  const { state } = await play({
    jobs: { a: hourly },
    untilMs: start + 40 * minuteMs,
    run: () => ({ tookMs: 20 * minuteMs, code: exitCode.interrupted }),
  });
  const { runs } = await play({
    jobs: { a: hourly },
    before: state,
    fromMs: start + 45 * minuteMs,
    untilMs: start + 50 * minuteMs,
  });
  expect(runs).toEqual(["11:15 a"]);
});

const job = (cron: string, activate = "x"): object => ({ cron, activate });

test("an hour of polling a destination delays neither the ingest nor other jobs", async () => {
  const jobs = {
    poll: job("0 11 * * *"),
    nightly: { cron: "5 11 * * *", ingest: {} },
    b: job("6 11 * * *"),
  };
  const { runs } = await play({
    jobs,
    untilMs: start + 2 * hourMs,
    run: (name) => ({ tookMs: name === "poll" ? hourMs : 1000, code: 0 }),
  });
  expect(runs).toEqual(["11:00 poll", "11:05 nightly", "11:06 b"]);
});

test("a limited number of jobs runs at a time, the first scheduled first, and an ingest does not wait", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const jobs = {
    ...Object.fromEntries(names.map((name, at) => [name, job(`${at} 11 * * *`)])),
    nightly: { cron: "10 11 * * *", ingest: {} },
  };
  const run = (name: string) => ({ tookMs: (name === "c" ? 20 : 40) * minuteMs, code: 0 });
  const { runs } = await play({ jobs, untilMs: start + 4 * hourMs, run });
  const first = ["11:00 a", "11:01 b", "11:02 c", "11:10 nightly"];
  expect(runs).toEqual([...first, "11:22 d", "11:40 e"]);
  const alone = await play({ jobs, untilMs: start + 4 * hourMs, run, parallel: 1 });
  expect(alone.runs).toEqual([
    "11:00 a",
    "11:10 nightly",
    "11:40 b",
    "12:20 c",
    "12:40 d",
    "13:20 e",
  ]);
});

test("a job never overlaps itself, regardless of other jobs", async () => {
  const jobs = { slow: job("*/10 * * * *"), quick: job("*/15 * * * *") };
  const { runs } = await play({
    jobs,
    untilMs: start + hourMs,
    run: (name) => ({ tookMs: name === "slow" ? 25 * minuteMs : 1000, code: 0 }),
  });
  expect(runs.filter((each) => each.endsWith("slow"))).toEqual(["10:40 slow", "11:05 slow"]);
  expect(runs.filter((each) => each.endsWith("quick"))).toEqual([
    "10:45 quick",
    "11:00 quick",
    "11:15 quick",
  ]);
});

test("a slow receiver of notices delays no job", async () => {
  const jobs = { a: job("*/10 * * * *") };
  const end = { tookMs: 1000, code: 1 };
  const slow = (played: Play): Promise<Played> =>
    playWith(played, (all, runner) =>
      stay(all, { ...runner, notify: () => runner.world.sleep(hourMs) }),
    );
  const { runs } = await slow({ jobs, untilMs: start + 45 * minuteMs, run: () => end });
  expect(runs).toEqual(["10:40 a", "10:50 a", "11:00 a", "11:10 a"]);
});

test("a statement that the database cannot read is a failure of the configuration", async () => {
  const { runs, state } = await play({
    jobs: { a: hourly },
    untilMs: start + 12 * hourMs,
    run: () => ({ tookMs: 1000, code: 1, isBadStatement: true }),
    disableAfter: 2,
  });
  expect(runs).toHaveLength(2);
  expect(state.jobs["a"]?.disabled_ms).not.toBeNull();
});
