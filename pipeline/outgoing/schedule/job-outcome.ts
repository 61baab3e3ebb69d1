import { formatCommand } from "../../base/command-line.ts";
import { exitCode } from "../../base/errors.ts";
import type { Job } from "./job.ts";
import { causeKey, type Notice, buildNoticeId } from "./notice.ts";
import type { JobState } from "./job-state.ts";
import { formatIso } from "../../base/time/text.ts";
import { listNextRuns } from "./rule.ts";

export type JobEnd = {
  readonly code: number;
  /** What went wrong, in one line. */
  readonly cause?: string | undefined;
  /** What that has in common with the same cause of another run, where it is not the line itself. */
  readonly about?: string | undefined;
  /** Whether the author must fix the statement. */
  readonly isBadStatement?: boolean | undefined;
  readonly runId?: string | undefined;
  /** Of a delivery: how many rows arrived and did not. */
  readonly counts?: Notice["counts"] | undefined;
  /** Rows that may be reported. */
  readonly table?: Notice["table"] | undefined;
};

/** Facts about a job for notices, besides its state. */
export type JobFacts = { readonly source: string | null; readonly more: string };

/** What happened with a job: its new state, the lines of the runner, and the notices for people elsewhere. */
export type JobChange = {
  readonly state: JobState;
  readonly lines: readonly string[];
  readonly notices: readonly Notice[];
};

/** A running job: its scheduled time and its start, epoch milliseconds. */
export type Running = {
  readonly job: Job;
  readonly facts: JobFacts;
  readonly dueMs: number;
  readonly startedMs: number;
  readonly disableAfter: number;
};

const configurationFailures: readonly number[] = [exitCode.usage, exitCode.refused];

function isOverConfiguration({ code, isBadStatement }: JobEnd): boolean {
  if (configurationFailures.includes(code)) return true;
  return code !== exitCode.done && isBadStatement === true;
}

/** Records the start of a run. Notices name missed runs, and a run that never ended. */
export function recordStart(running: Running, before: JobState): JobChange {
  const { job, dueMs, startedMs } = running;
  const state = {
    ...before,
    begun_ms: Math.max(before.begun_ms, dueMs),
    started_ms: startedMs,
    finished_ms: null,
    exit_code: null,
  };
  const broken = recordBreak(running, before, state);
  const missed = listRunsBetween(job, Math.max(before.handled_ms, before.begun_ms), dueMs);
  const line = formatMissed(job, missed);
  if (line === undefined) return broken;
  const notice = buildNotice(running, startedMs, { state: "missed", message: line, cause: null });
  return {
    state: broken.state,
    lines: [...broken.lines, line],
    notices: [...broken.notices, { ...notice, due_ms: missed[0]! }],
  };
}

// The process was killed or the machine failed: no end is recorded.
function recordBreak(running: Running, before: JobState, state: JobState): JobChange {
  if (before.started_ms === null || before.finished_ms !== null)
    return { state, lines: [], notices: [] };
  const cause = `the run of ${formatIso(before.started_ms)} was interrupted: the process was killed or the machine stopped`;
  return withFailure(running, running.startedMs, cause, state);
}

/** A failure that no run could report; the state keeps everything but what was reported. */
export function withFailure(
  running: Running,
  atMs: number,
  cause: string,
  state: JobState,
): JobChange {
  const line = `${running.job.name}: ${cause}`;
  const notices = isReported(state, cause)
    ? []
    : [buildNotice(running, atMs, { state: "failed", message: line, cause })];
  return { state: withReported(state, cause, atMs), lines: [line], notices };
}

/** Records the end of a run without an interrupt. */
export function recordEnd(
  running: Running,
  end: JobEnd,
  finishedMs: number,
  before: JobState,
): JobChange {
  const { job, dueMs, disableAfter } = running;
  const { code, cause, runId, counts = null, table = null } = end;
  const failures = isOverConfiguration(end) ? before.failures + 1 : 0;
  const isDisabled = failures >= disableAfter;
  const state = {
    ...before,
    handled_ms: Math.max(before.handled_ms, dueMs),
    finished_ms: finishedMs,
    exit_code: code,
    failures,
    disabled_ms: isDisabled ? finishedMs : null,
  };
  if (code === exitCode.done) return recordSuccess(running, finishedMs, state);
  const why = cause ?? `ended with exit code ${code}`;
  const about = end.about ?? why;
  const lines = listFailureLines(job, code, failures, isDisabled, disableAfter);
  const kind = isDisabled ? ("disabled" as const) : classifyFailure(job, code, counts);
  // Each failure over the configuration counts towards the disabling, and is reported (seed 002, Errors, rule 6).
  const isNews = failures > 0 || kind !== "failed" || !isReported(state, about);
  if (!isNews) return { state, lines, notices: [] };
  const text = {
    state: kind,
    message: [...lines, ...(cause === undefined ? [] : [cause])].join("; "),
    cause: why,
  };
  const notice = buildNotice(running, finishedMs, text);
  const numbers = { exit_code: code, configuration_failures: failures, run_id: runId ?? null };
  const counted = { ...numbers, counts, table };
  return {
    state: withReported(state, about, finishedMs),
    lines,
    notices: [{ ...notice, ...counted }],
  };
}

function classifyFailure({ argv }: Job, code: number, counts: Notice["counts"]): Notice["state"] {
  if (code === exitCode.findings && argv[0] === "activate") return "stopped";
  const isRefused = counts !== null && counts.refused + counts.doubtful > 0;
  return code === exitCode.partial && isRefused ? "refused" : "failed";
}

/** Records that another run holds the lock and the run is pending; adds a notice if that lasts long. */
export function recordLocked(
  running: Running,
  { code, cause }: JobEnd,
  nowMs: number,
  isLong: boolean,
  state: JobState,
): JobChange {
  const lines = [`${running.job.name}: another run holds the lock; retrying in a minute`];
  if (!isLong) return { state, lines, notices: [] };
  const failed = withFailure(running, nowMs, cause ?? "another run holds the lock", state);
  const notices = failed.notices.map((notice) => ({ ...notice, exit_code: code }));
  return { state: failed.state, lines, notices };
}

function recordSuccess(running: Running, finishedMs: number, state: JobState): JobChange {
  const { name } = running.job;
  const since = state.reported[0]?.at_ms;
  if (since === undefined) return { state, lines: [], notices: [] };
  const line = `${name}: recovered; failures were reported since ${formatIso(since)}`;
  const notice = buildNotice(running, finishedMs, { state: "well", message: line, cause: null });
  return {
    state: { ...state, reported: [] },
    lines: [line],
    notices: [{ ...notice, exit_code: exitCode.done }],
  };
}

function listFailureLines(
  { name }: Job,
  code: number,
  failures: number,
  isDisabled: boolean,
  disableAfter: number,
): string[] {
  if (failures === 0) return [`${name}: ended with exit code ${code}`];
  const why = `${name}: failed because of its configuration (exit code ${code}), attempt ${failures} of ${disableAfter}`;
  return isDisabled
    ? [
        why,
        `${name}: disabled; correct its configuration or the files that it names, or run ${formatCommand("schedule", "enable", name)}`,
      ]
    : [why];
}

// More kinds of failures than that are no news any more.
const maxKinds = 20;

function isReported({ reported }: JobState, cause: string): boolean {
  const key = causeKey(cause);
  return reported.length >= maxKinds || reported.some((each) => each.cause === key);
}

function withReported(state: JobState, cause: string, atMs: number): JobState {
  if (isReported(state, cause)) return state;
  return { ...state, reported: [...state.reported, { cause: causeKey(cause), at_ms: atMs }] };
}

type Text = Pick<Notice, "state" | "message" | "cause">;

function buildNotice(
  { job, facts, dueMs, disableAfter }: Running,
  atMs: number,
  { state, message, cause }: Text,
): Notice {
  return {
    id: buildNoticeId(job.name, state, atMs),
    job: job.name,
    state,
    exit_code: null,
    cause,
    source: facts.source,
    run_id: null,
    configuration_failures: 0,
    disable_after: disableAfter,
    due_ms: dueMs,
    finished_ms: atMs,
    message,
    more: facts.more,
    counts: null,
    table: null,
    sent_to: [],
  };
}

// More need not be counted, and a clock that is off by years must not delay a job.
const maxCounted = 1000;
const countedAtOnce = 20;

/** Moments after one and before another at which a job was to run, the oldest thousand; epoch milliseconds. */
function listRunsBetween({ rule, timezone }: Job, afterMs: number, beforeMs: number): number[] {
  const found: number[] = [];
  for (let atMs = afterMs; found.length < maxCounted; atMs = found.at(-1)!) {
    const next = listNextRuns(rule, timezone, atMs, countedAtOnce);
    found.push(...next.filter((ms) => ms < beforeMs));
    if (next.length < countedAtOnce || next.at(-1)! >= beforeMs) break;
  }
  return found;
}

/** Formats the missed runs as one line; undefined without any. */
function formatMissed({ name }: Job, missed: readonly number[]): string | undefined {
  const [first, last] = [missed[0], missed.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  if (missed.length === 1) return `${name}: missed the run scheduled for ${formatIso(first)}`;
  const count = missed.length < maxCounted ? `${missed.length}` : `${maxCounted} or more`;
  const until = missed.length < maxCounted ? `to ${formatIso(last)}` : "on";
  return `${name}: missed ${count} runs, scheduled from ${formatIso(first)} ${until}`;
}
