import { expect, test } from "vitest";
import {
  recordEnd,
  type JobEnd,
  recordLocked,
  type Running,
} from "../../../../pipeline/outgoing/schedule/job-outcome.ts";
import type { JobState } from "../../../../pipeline/outgoing/schedule/job-state.ts";
import type { Notice } from "../../../../pipeline/outgoing/schedule/notice.ts";

// What an exit code says of a run: its word, whether it counts towards the disabling, and who is notified.

const [dueMs, finishedMs] = [Date.UTC(2026, 10, 21), Date.UTC(2026, 10, 21, 1)];
const buildRunning = (verb: string): Running => ({
  job: { name: "nightly", argv: [verb, "people"] } as unknown as Running["job"],
  facts: { source: null, more: "" },
  dueMs,
  startedMs: dueMs,
  disableAfter: 3,
});
const before: JobState = {
  fingerprint: "f",
  handled_ms: 0,
  begun_ms: dueMs,
  started_ms: dueMs,
  finished_ms: null,
  exit_code: null,
  failures: 0,
  disabled_ms: null,
  reported: [],
};
const counts = (refused: number, doubtful: number): Notice["counts"] =>
  ({ accepted: 1, refused, doubtful }) as unknown as Notice["counts"];

type Case = [how: JobEnd, state: Notice["state"] | undefined, failures: number, verb?: string];

test.each<Case>([
  [{ code: 0 }, undefined, 0],
  [{ code: 1 }, "failed", 0],
  [{ code: 2 }, "failed", 1],
  [{ code: 4 }, "failed", 1],
  [{ code: 3 }, "stopped", 0],
  [{ code: 3 }, "failed", 0, "report"],
  [{ code: 6 }, "failed", 0],
  [{ code: 6, counts: counts(0, 0) }, "failed", 0],
  [{ code: 6, counts: counts(1, 0) }, "refused", 0],
  [{ code: 6, counts: counts(0, 1) }, "refused", 0],
  [{ code: 1, counts: counts(1, 1) }, "failed", 0],
  [{ code: 1, cause: "own.sql: Binder Error: no column x", isBadStatement: true }, "failed", 1],
  [{ code: 1, cause: "the disk is full" }, "failed", 0],
  [{ code: 0, isBadStatement: true }, undefined, 0],
])(
  "a run that ended with %j is %s, with %i failures of the configuration",
  (how, state, failures, verb = "activate") => {
    const happened = recordEnd(buildRunning(verb), how, finishedMs, {
      ...before,
      failures: failures > 0 ? 1 : 2,
    });
    expect(happened.notices.map((notice) => notice.state)).toEqual(
      state === undefined ? [] : [state],
    );
    expect(happened.state).toMatchObject({
      handled_ms: dueMs,
      finished_ms: finishedMs,
      exit_code: how.code,
      failures: failures > 0 ? 2 : 0,
      disabled_ms: null,
    });
    for (const { exit_code, configuration_failures, message } of happened.notices) {
      expect([exit_code, configuration_failures]).toEqual([how.code, failures > 0 ? 2 : 0]);
      expect(message.endsWith(how.cause ?? "")).toBe(true);
      expect(message.includes("; ")).toBe(how.cause !== undefined);
    }
  },
);

test("a failure of the configuration is reported each time, until the job is disabled; any other one once", () => {
  const listStates = (how: JobEnd): string[] => {
    let state = before;
    return Array.from({ length: 3 }, () => {
      const happened = recordEnd(buildRunning("ingest"), how, finishedMs, state);
      state = happened.state;
      return happened.notices.map((notice) => notice.state).join();
    });
  };
  expect(listStates({ code: 2, cause: "wrong" })).toEqual(["failed", "failed", "disabled"]);
  expect(listStates({ code: 1, cause: "no network" })).toEqual(["failed", "", ""]);
  expect(listStates({ code: 1 })).toEqual(["failed", "", ""]);
  expect(listStates({ code: 6, counts: counts(1, 0) })).toEqual(["refused", "refused", "refused"]);
});

test("a recovered job sends a notice if a failure was reported, and otherwise none", () => {
  const failed = recordEnd(buildRunning("ingest"), { code: 1 }, finishedMs, before).state;
  const well = recordEnd(buildRunning("ingest"), { code: 0 }, finishedMs, failed);
  expect(well.notices.map(({ state, exit_code }) => [state, exit_code])).toEqual([["well", 0]]);
  expect(well.state.reported).toEqual([]);
  expect(recordEnd(buildRunning("ingest"), { code: 0 }, finishedMs, well.state).notices).toEqual(
    [],
  );
});

test("a lock of another run is reported once if it is held for long", () => {
  const locked = { code: 5, cause: "held by ingest" };
  const soon = recordLocked(buildRunning("ingest"), locked, finishedMs, false, before);
  expect([soon.notices, soon.state, soon.lines.length]).toEqual([[], before, 1]);
  const long = recordLocked(buildRunning("ingest"), locked, finishedMs, true, before);
  expect(long.notices.map(({ state, exit_code }) => [state, exit_code])).toEqual([["failed", 5]]);
  expect(
    recordLocked(buildRunning("ingest"), locked, finishedMs, true, long.state).notices,
  ).toEqual([]);
});
