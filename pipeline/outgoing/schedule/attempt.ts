import { type Print } from "../../base/notice/printer.ts";
import { exitCode } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { Job } from "./job.ts";
import {
  recordStart,
  recordEnd,
  type JobEnd,
  type JobChange,
  type JobFacts,
  recordLocked,
  type Running,
} from "./job-outcome.ts";
import { type JobState, type Memory, getJobState, withJob } from "./job-state.ts";
import { formatIso } from "../../base/time/text.ts";
import { formatCommand } from "../../base/command-line.ts";
import { findLastRun } from "./rule.ts";

/** What the runner needs of the outside. */
export type Runner = {
  readonly world: Pick<World, "now" | "sleep" | "signal">;
  /** Runs a job to its end for a scheduled moment. The signal requests an orderly end. */
  readonly start: (job: Job, dueMs: number, signal: AbortSignal) => Promise<JobEnd>;
  readonly memory: Memory;
  /** Prints what the operator needs to know. */
  readonly print: Print;
  /** Prints progress, which may be ignored. */
  readonly mention: (line: string) => void;
  /** Facts about a job for notices; undefined without notification targets. */
  readonly facts: ((job: Job) => JobFacts) | undefined;
  /** Sends the notices that wait; never throws. */
  readonly notify: () => Promise<void>;
  /** Failures over the configuration, in a row, after which a job is disabled. */
  readonly disableAfter: number;
  /** How many jobs run at a time at most, an ingest not counted. */
  readonly parallel: number;
};

// Another run holds the lock, most likely one started by hand.
export const lockedAgainMs = 60_000;
// A lock that is held for so long is worth a notice.
export const lockedNoticeMs = 3_600_000;

/** What a run came to; `isLocked` where it did not run, since another one holds the lock. */
export type Attempt = { readonly code: number; readonly isLocked: boolean };

/**
 * Runs a job once and records its outcome, with notices to send. `waitingSinceMs` is when it first found the lock held.
 */
export async function attemptJob(
  job: Job,
  dueMs: number,
  waitingSinceMs: number | undefined,
  runner: Runner,
): Promise<Attempt> {
  const { world, mention, memory, start, disableAfter } = runner;
  const startedMs = world.now();
  const facts = runner.facts?.(job) ?? { source: null, more: "" };
  const running: Running = { job, facts, dueMs, startedMs, disableAfter };
  const before = getJobState(memory.read(), job, startedMs);
  await rememberChange(running, (state) => recordStart(running, state), runner);
  mention(`${job.name}: started, scheduled for ${formatIso(dueMs)}`);
  const end = await start(job, dueMs, world.signal);
  const finishedMs = world.now();
  const { code } = end;
  const bare = { finished_ms: finishedMs, exit_code: code };
  const isLocked = code === exitCode.locked;
  const isInterrupted = world.signal.aborted && code !== exitCode.done;
  await rememberChange(
    running,
    (state): JobChange => {
      if (isLocked) {
        const isLong = finishedMs - (waitingSinceMs ?? finishedMs) >= lockedNoticeMs;
        return recordLocked(running, end, finishedMs, isLong, { ...state, ...bare });
      }
      if (isInterrupted)
        return { state: keepDue({ ...state, ...bare }, before, dueMs), lines: [], notices: [] };
      return recordEnd(running, end, finishedMs, state);
    },
    runner,
  );
  if (code === exitCode.done) mention(`${job.name}: done`);
  return { code, isLocked };
}

// An interrupted run stays pending, and counts as missed if it is not made up for.
function keepDue(state: JobState, before: JobState, dueMs: number): JobState {
  return {
    ...state,
    handled_ms: Math.min(before.handled_ms, dueMs - 1),
    begun_ms: Math.min(before.begun_ms, dueMs - 1),
  };
}

async function rememberChange(
  { job, startedMs }: Running,
  happens: (state: JobState) => JobChange,
  { memory, facts, print }: Runner,
): Promise<void> {
  let lines: readonly string[] = [];
  await memory.update((all) => {
    const happened = happens(getJobState(all, job, startedMs));
    lines = happened.lines;
    if (facts !== undefined) return withJob(all, job.name, happened.state, happened.notices);
    return withJob(all, job.name, { ...happened.state, reported: [] });
  });
  for (const line of lines) print(line);
}

/**
 * Runs a job called by cron or systemd. Resolves to its exit code, or to the code for wrong configuration if it is
 * disabled. While another run holds the lock, it retries each minute for an hour.
 */
export async function runScheduled(job: Job, runner: Runner): Promise<number> {
  const { world, memory, print } = runner;
  const sinceMs = world.now();
  const { disabled_ms: disabledMs } = getJobState(memory.read(), job, sinceMs);
  if (disabledMs !== null) {
    // What it refers to now is remembered: where that changes, the job is tried again.
    await memory.update((all) => withJob(all, job.name, getJobState(all, job, sinceMs)));
    print(
      `${job.name}: disabled since ${formatIso(disabledMs)}; correct its configuration or the files that it names, or run ${formatCommand("schedule", "enable", job.name)}`,
    );
    return exitCode.usage;
  }
  const dueMs = findLastRun(job.rule, job.timezone, sinceMs) ?? sinceMs;
  // Counted, too, since the clock may be set back meanwhile.
  for (let left = lockedNoticeMs / lockedAgainMs; ; left--) {
    const isLast = left === 0 || world.now() - sinceMs >= lockedNoticeMs;
    const { code, isLocked } = await attemptJob(job, dueMs, isLast ? -Infinity : sinceMs, runner);
    if (!isLocked || isLast || world.signal.aborted) return code;
    await world.sleep(lockedAgainMs, world.signal).catch((error: unknown) => {
      if (!world.signal.aborted) throw error;
    });
  }
}
