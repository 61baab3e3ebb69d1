import { expect, test } from "vitest";
import { getJobState, withJob, noState } from "../../../../pipeline/outgoing/schedule/job-state.ts";
import { listJobs } from "../../../../pipeline/outgoing/schedule/job.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";

const config = scheduleSchema.parse({ jobs: { a: { cron: "@hourly", activate: "people" } } });
const buildJob = (referred: string) => listJobs(config, { hashReferred: () => referred })[0]!;
const [dayMs, nowMs] = [86_400_000, Date.parse("2026-11-21T10:30:00Z")];
const met = getJobState(noState, buildJob("broken"), nowMs - dayMs);
const remember = (more: object) => withJob(noState, "a", { ...met, ...more });
const disabled = { failures: 5, disabled_ms: nowMs - 1000 };

test("a disabled job is tried again if something it refers to has changed", () => {
  const state = remember(disabled);
  expect(getJobState(state, buildJob("broken"), nowMs)).toBe(state.jobs["a"]);
  expect(getJobState(state, buildJob("fixed"), nowMs)).toEqual({
    ...met,
    referred: "fixed",
    handled_ms: nowMs,
  });
});

test("an enabled job retains its missed runs", () => {
  const state = remember({ failures: 2 });
  expect(getJobState(state, buildJob("fixed"), nowMs)).toEqual({ ...met, referred: "fixed" });
});

test("a job that an earlier version disabled stays disabled until something changes", () => {
  const { referred: _none, ...before } = { ...met, ...disabled };
  const state = withJob(noState, "a", before);
  const first = getJobState(state, buildJob("broken"), nowMs);
  expect(first).toEqual({ ...before, referred: "broken" });
  const next = getJobState(withJob(state, "a", first), buildJob("fixed"), nowMs);
  expect(next.disabled_ms).toBeNull();
});
