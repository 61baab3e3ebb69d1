import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { exitCode } from "../../../../../pipeline/base/errors.ts";
import type { Notice } from "../../../../../pipeline/outgoing/schedule/notice.ts";
import { causeKey, formatCause } from "../../../../../pipeline/outgoing/schedule/notice.ts";
import { runScheduled } from "../../../../../pipeline/outgoing/schedule/attempt.ts";
import { dayMs, hourMs, minuteMs, play, start, type Play, type Played, stay } from "../play.ts";

const nightly = { cron: "15 2 * * *", ingest: {} };
const firstRunMs = Date.parse("2026-11-22T02:15:00Z");

/** The outcome of a day: done, a cause of failure, rows refused, the machine down during the run, or off all day. */
type DayOutcome = "done" | "A" | "B" | "rows" | "dies" | "off";

/** Cron starts the job on each day that the machine is on; each run has the given outcome. */
function playDays(all: readonly DayOutcome[], more: Partial<Play> = {}): Promise<Played> {
  let day = 0;
  const run: Play["run"] = () => {
    const what = all[day]!;
    if (what === "done" || what === "off") return { tookMs: minuteMs, code: 0 };
    const cause = `it is ${what}`;
    const counts = { accepted: 0, refused: day + 1, doubtful: 0 };
    if (what === "rows") return { tookMs: minuteMs, code: exitCode.partial, cause, counts };
    return { tookMs: minuteMs, code: 1, cause, dies: what === "dies" };
  };
  return play({ jobs: { nightly }, run, ...more }, async ([job], runner) => {
    for (day = 0; day < all.length; day++) {
      const waitMs = firstRunMs + day * dayMs + 1000 - runner.world.now();
      if (waitMs > 0) await runner.world.sleep(waitMs);
      if (all[day] === "off") continue;
      await runScheduled(job!, runner).catch((error: unknown) => {
        if (all[day] !== "dies") throw error;
      });
      if (all[day] !== "dies") await runner.notify();
    }
  });
}

const getDay = (ms: number): number => Math.floor((ms - firstRunMs) / dayMs);
const show = (notices: readonly Notice[]): string[] =>
  notices.map(({ state, cause, finished_ms }) =>
    [
      getDay(finished_ms),
      state,
      cause?.replace(/.*was interrupted.*/, "dies").replace("it is ", ""),
    ]
      .filter((word) => word != null)
      .join(" "),
  );

/** Lists the expected notices, from the words of the promise. */
function listExpected(all: readonly DayOutcome[]): string[] {
  const list: string[] = [];
  let failures = new Set<string>();
  let lastOn = -1;
  let wasKilled = false;
  const fails = (day: number, cause: string): void => {
    if (!failures.has(cause)) list.push(`${day} failed ${cause}`);
    failures.add(cause);
  };
  all.forEach((what, day) => {
    if (what === "off") return;
    if (wasKilled) fails(day, "dies");
    // Before its first run the job is unknown, and no run can be missed.
    if (lastOn >= 0 && day - lastOn > 1) list.push(`${day} missed`);
    lastOn = day;
    wasKilled = what === "dies";
    if (what === "A" || what === "B") fails(day, what);
    if (what === "rows") {
      list.push(`${day} refused rows`);
      failures.add(what);
    }
    if (what === "done" && failures.size > 0) {
      list.push(`${day} well`);
      failures = new Set();
    }
  });
  return list;
}

test.each<[DayOutcome[], string[]]>([
  [
    ["A", "A", "A", "done", "done"],
    ["0 failed A", "3 well"],
  ],
  [
    ["A", "B", "A", "B", "done", "B"],
    ["0 failed A", "1 failed B", "4 well", "5 failed B"],
  ],
  [
    ["rows", "rows", "done", "rows"],
    ["0 refused rows", "1 refused rows", "2 well", "3 refused rows"],
  ],
  [["done", "off", "off", "done"], ["3 missed"]],
  [
    ["done", "dies", "done"],
    ["2 failed dies", "2 well"],
  ],
])("runs %j are reported as %j", async (all, expected) => {
  expect(show((await playDays(all)).notices)).toEqual(expected);
});

test("with any outcomes and any absence of the receiver, each notice arrives once and in order", async () => {
  const day = fc.constantFrom<DayOutcome>("done", "A", "B", "rows", "dies", "off");
  const some = fc.array(fc.tuple(day, fc.boolean()), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(some, async (drawn) => {
      const all = [...drawn.map(([what]) => what), "done" as const];
      // On the last day the receiver is up, and gets what has waited.
      const isThere = (ms: number): boolean => drawn[getDay(ms)]?.[1] ?? true;
      const { notices, state } = await playDays(all, { arrives: (_, nowMs) => isThere(nowMs) });
      expect(show(notices)).toEqual(listExpected(all));
      expect(new Set(notices.map(({ id }) => id)).size).toBe(notices.length);
      expect(state.notices).toEqual([]);
    }),
    { seed: 22, numRuns: 60 },
  );
});

test("a notice that was sent when the machine went down is resent unchanged", async () => {
  const first = await playDays(["A"], { arrives: () => false });
  const [waiting] = first.state.notices;
  const again = await playDays(["off", "A"], { before: first.state });
  expect(again.notices).toEqual([waiting]);
});

test("nothing waits without a receiver, and a failure is still reported once there is one", async () => {
  const { state } = await playDays(["A", "A"], { isNotified: false });
  expect(state.notices).toEqual([]);
  expect(show((await playDays(["off", "off", "A"], { before: state })).notices)).toEqual([
    "2 failed A",
  ]);
});

describe("a lock that another run holds", () => {
  const locked = { tookMs: 1000, code: exitCode.locked, cause: "locked: ingest (process 7)" };

  it("is retried every minute, and reported after an hour, once", async () => {
    const { runs, notices } = await playDays(["A", "A"], { run: () => locked });
    expect(runs.length).toBeGreaterThan(100);
    expect(notices.map(({ state, cause, exit_code }) => [state, cause, exit_code])).toEqual([
      ["failed", locked.cause, exitCode.locked],
    ]);
  });

  it("is reported by the runner, too, which continues to retry", async () => {
    const until = start + 4 * hourMs;
    const jobs = { a: { cron: "0 11 * * *", ingest: {} } };
    const run: Play["run"] = (_, nowMs) =>
      nowMs < start + 3 * hourMs ? locked : { tookMs: 1000, code: 0 };
    const { notices } = await play({ jobs, untilMs: until, run }, stay);
    expect(notices.map(({ state }) => state)).toEqual(["failed", "well"]);
  });
});

describe("missed runs", () => {
  it("are reported in one line by the next run, and counted quickly in any number", async () => {
    const jobs = { often: { cron: "* * * * *", ingest: {} } };
    const seen = await play({ jobs, untilMs: start + 2 * minuteMs }, stay);
    const fromMs = start + 400 * dayMs;
    const { printed, notices } = await play(
      { jobs, before: seen.state, fromMs, untilMs: fromMs + 5000 },
      stay,
    );
    const line = /^often: missed 1000 or more runs, scheduled from 2026-11-21T10:3\d:00Z on$/;
    expect(printed.filter((text) => text.includes("missed"))).toEqual([
      expect.stringMatching(line),
    ]);
    expect(notices).toMatchObject([{ state: "missed", message: expect.stringMatching(line) }]);
  });

  it("include those that were interrupted under cron, which does not repeat them", async () => {
    const stopped = await play(
      {
        jobs: { nightly },
        fromMs: firstRunMs,
        untilMs: firstRunMs + hourMs,
        run: () => ({ tookMs: hourMs, code: exitCode.interrupted }),
      },
      ([job], runner) => runScheduled(job!, runner),
    );
    expect(stopped.notices).toEqual([]);
    const { notices } = await playDays(["off", "done"], { before: stopped.state });
    expect(notices).toMatchObject([
      {
        state: "missed",
        message: "nightly: missed the run scheduled for 2026-11-22T02:15:00Z",
      },
    ]);
  });

  it("exclude those that were interrupted and made up for", async () => {
    const jobs = { a: { cron: "0 11 * * *", ingest: {} } };
    const broken = await play(
      {
        jobs,
        untilMs: start + hourMs,
        run: () => ({ tookMs: hourMs, code: exitCode.interrupted }),
      },
      stay,
    );
    const { printed, notices } = await play(
      { jobs, before: broken.state, fromMs: start + 2 * hourMs, untilMs: start + 3 * hourMs },
      stay,
    );
    expect(printed).toContain("a: done");
    expect(notices).toEqual([]);
  });
});

describe("a clock that is set back", () => {
  it("from years ahead does not delay a job", async () => {
    const jobs = { a: { cron: "@hourly", ingest: {} } };
    const ahead = await play(
      { jobs, fromMs: start + 900 * dayMs, untilMs: start + 900 * dayMs + 2 * hourMs },
      stay,
    );
    const { runs } = await play({ jobs, before: ahead.state, untilMs: start + 2 * hourMs }, stay);
    expect(runs).toEqual(["11:00 a", "12:00 a"]);
    const set = { atMs: start + 65 * minuteMs, byMs: -30 * dayMs };
    const { runs: later } = await play(
      { jobs, jump: set, untilMs: start + 65 * minuteMs - 30 * dayMs + 9 * hourMs },
      stay,
    );
    expect(later.length).toBeLessThan(3);
  });

  it("by seconds does not run a job twice", async () => {
    const set = { atMs: start + 30 * minuteMs + 500, byMs: -3000 };
    const jobs = { a: { cron: "@hourly", ingest: {} } };
    const { runs } = await play({ jobs, jump: set, untilMs: start + 2 * hourMs }, stay);
    expect(runs).toEqual(["11:00 a", "12:00 a"]);
  });
});

test("two jobs that share a receiver are reported separately", async () => {
  const jobs = { a: { cron: "@hourly", ingest: {} }, b: { cron: "@hourly", activate: "x" } };
  const run: Play["run"] = (name, nowMs) => ({
    tookMs: 1000,
    code: name === "a" || nowMs < start + hourMs ? 1 : 0,
    cause: "the same",
  });
  const { notices } = await play({ jobs, untilMs: start + 2 * hourMs, run }, stay);
  expect(notices.map(({ job, state }) => `${job} ${state}`)).toEqual([
    "a failed",
    "b failed",
    "b well",
  ]);
});

test("a job that failed just before its configuration changed is reported as recovered", async () => {
  const failed = await playDays(["A"]);
  const changed = { nightly: { ...nightly, ingest: { source: "other" } } };
  const { notices } = await playDays(["off", "done"], { before: failed.state, jobs: changed });
  expect(show(notices)).toEqual(["1 well"]);
});

test.each([
  ["answered 503", "answered 500"],
  ["delivery stopped after 12.5 s", "delivery stopped after 3 s"],
  [
    "locked: ingest (process 12) since 2026-11-20T01:02:03.004Z",
    "locked: ingest (process 9) since 2027-01-01T00:00:00.000Z",
  ],
  [
    "run 0b1e8b3c-1f7e-4d0a-9a52-abcdefabcdef failed",
    "run aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee failed",
  ],
  [
    "page 5f3c9a00aa11bb22cc33dd44ee55ff66 is damaged",
    "page 00000000aa11bb22cc33dd44ee55ff6a is damaged",
  ],
])("%j and %j are the same cause", (one, other) => {
  expect(causeKey(one)).toBe(causeKey(other));
});

test("different messages are different causes", () => {
  const causes = ["answered 401", "timed out", "disk full", "window 2026-11-20: timed out, again"];
  expect(new Set(causes.map(causeKey)).size).toBe(causes.length);
});

test("a cause that an earlier version has reported is the same one", () => {
  expect(causeKey("answered 401")).toBe("38721218969943b8");
});

test("a cause shows no secret, no value of the database, and is short", () => {
  expect(formatCause("key abcdef and abc", ["abc", "abcdef", ""])).toBe(
    "key [secret] and [secret]",
  );
  expect(formatCause(`read: Conversion Error: Could not convert "ann@example.com"`, [])).toBe(
    "read: Conversion Error",
  );
  const full = "IO Error: No space left on device";
  expect(formatCause(full, [])).toBe(full);
  for (const length of [401, 5000])
    expect(formatCause("x".repeat(length), [])).toBe(`${"x".repeat(400)}…`);
  expect(formatCause("x".repeat(400), [])).toBe("x".repeat(400));
});
