import { attemptJob, lockedAgainMs, type Runner } from "./attempt.ts";
import type { Job } from "./job.ts";
import { findLastRun, listNextRuns } from "./rule.ts";
import type { World } from "../../base/world.ts";
import { type JobState, type State, getJobState } from "./job-state.ts";

// The clock may be set, and a machine may sleep: the time is looked at again at least this often.
const longestSleepMs = 60_000;

/** When a job that found the lock taken is tried again, and since when it waits. */
type Waiting = Map<string, { readonly notBeforeMs: number; readonly sinceMs: number }>;

/** The jobs of the present configuration, and their runner. */
export type Schedule = { readonly jobs: readonly Job[]; readonly runner: Runner };

/**
 * Runs scheduled jobs in parallel until the signal aborts; then waits for the running ones. A job never overlaps
 * itself: times missed during a run or while the machine slept run once. At most `parallel` jobs run at a time, in
 * order of schedule; an ingest never waits for another job. Jobs are read again each time, so a new or changed job
 * starts with its next run.
 */
export async function runSchedule(
  now: () => Schedule,
  { signal }: Pick<World, "signal">,
): Promise<void> {
  const { memory, world: first } = now().runner;
  await memory.update((before) => updateStates(now().jobs, before, first.now()));
  const waiting: Waiting = new Map();
  const under = newRunningJobs();
  try {
    while (!signal.aborted) {
      const { jobs, runner } = now();
      under.notify(runner);
      const state = await readCurrent(jobs, runner);
      for (const { job, dueMs } of listStartable(jobs, state, waiting, under, runner))
        under.start(job, () => runDue(job, dueMs, waiting, runner));
      await sleepUntilDue(jobs, state, waiting, under, runner);
    }
  } finally {
    await under.ended();
  }
  under.check();
}

type Due = { readonly job: Job; readonly dueMs: number };

// In order of schedule; if too many run, all but an ingest wait for the next end.
function listStartable(
  jobs: readonly Job[],
  state: State,
  waiting: Waiting,
  { isRunning, count }: RunningJobs,
  { world, parallel }: Runner,
): Due[] {
  const nowMs = world.now();
  const due = jobs
    .flatMap((job) => {
      const dueMs = isRunning(job) ? undefined : findDue(job, state, nowMs);
      return dueMs === undefined || isWaiting(waiting, job, nowMs) ? [] : [{ job, dueMs }];
    })
    .toSorted((a, b) => a.dueMs - b.dueMs);
  const others = due.filter(({ job }) => !isIngest(job)).slice(0, Math.max(parallel - count(), 0));
  return due.filter((each) => isIngest(each.job) || others.includes(each));
}

async function runDue(job: Job, dueMs: number, waiting: Waiting, runner: Runner): Promise<void> {
  const sinceMs = waiting.get(job.name)?.sinceMs;
  const { isLocked } = await attemptJob(job, dueMs, sinceMs, runner);
  const nowMs = runner.world.now();
  if (isLocked)
    waiting.set(job.name, { notBeforeMs: nowMs + lockedAgainMs, sinceMs: sinceMs ?? nowMs });
  else waiting.delete(job.name);
}

// A wait that is longer than any comes from a clock that was set back since.
function isWaiting(waiting: Waiting, { name }: Job, nowMs: number): boolean {
  const leftMs = (waiting.get(name)?.notBeforeMs ?? nowMs) - nowMs;
  return leftMs > 0 && leftMs <= lockedAgainMs;
}

// The stored state, corrected if the clock was set back since.
async function readCurrent(jobs: readonly Job[], { memory, world }: Runner): Promise<State> {
  const state = memory.read();
  const isRight = (job: Job): boolean =>
    getJobState(state, job, world.now()) === state.jobs[job.name];
  if (jobs.every(isRight)) return state;
  await memory.update((before) => updateStates(jobs, before, world.now()));
  return memory.read();
}

function updateStates(jobs: readonly Job[], before: State, nowMs: number): State {
  const toEntry = (job: Job): [string, JobState] => [job.name, getJobState(before, job, nowMs)];
  return { ...before, jobs: Object.fromEntries(jobs.map(toEntry)) };
}

// The scheduled moment that waits to be dealt with, if there is one.
function findDue(job: Job, state: State, nowMs: number): number | undefined {
  const { handled_ms: handledMs, disabled_ms: disabledMs } = state.jobs[job.name]!;
  if (disabledMs !== null) return undefined;
  const last = findLastRun(job.rule, job.timezone, nowMs);
  return last !== undefined && last > handledMs ? last : undefined;
}

// Sleeps until a job is scheduled, or may start because another has ended.
async function sleepUntilDue(
  jobs: readonly Job[],
  state: State,
  waiting: Waiting,
  under: RunningJobs,
  { world }: Runner,
): Promise<void> {
  under.check();
  const nowMs = world.now();
  const moments = jobs
    .filter(({ name }) => state.jobs[name]!.disabled_ms === null)
    .flatMap(({ rule, timezone }) => listNextRuns(rule, timezone, nowMs, 1));
  const again = [...waiting.values()].map((each) => each.notBeforeMs).filter((ms) => ms > nowMs);
  const untilMs = Math.min(nowMs + longestSleepMs, ...moments, ...again);
  const woken = AbortSignal.any([world.signal, under.nextEnd()]);
  await world.sleep(Math.max(untilMs - nowMs, 1), woken).catch((error: unknown) => {
    if (!woken.aborted) throw error;
  });
  under.check();
}

/** The jobs that run at the moment, and the notices that are being sent. */
type RunningJobs = {
  readonly isRunning: (job: Job) => boolean;
  /** Number of running jobs, without ingests. */
  readonly count: () => number;
  readonly start: (job: Job, run: () => Promise<void>) => void;
  /** Begins to send the notices that wait, unless that is under way. It does not wait: a slow receiver delays no job. */
  readonly notify: (runner: Runner) => void;
  /** Aborts when the next job ends; at once if one has ended since the last call. */
  readonly nextEnd: () => AbortSignal;
  /** Resolves when all have ended. */
  readonly ended: () => Promise<void>;
  /** Throws an error that ends the schedule; failures of jobs do not. */
  readonly check: () => void;
};

/** Whether a job loads the log: such a job never waits for another one. */
export function isIngest({ argv }: Pick<Job, "argv">): boolean {
  return argv[0] === "ingest";
}

/** Nothing runs yet. */
export function newRunningJobs(): RunningJobs {
  const running = new Map<string, { readonly job: Job; readonly run: Promise<void> }>();
  const faults: unknown[] = [];
  let notifying: Promise<void> | undefined;
  let end = new AbortController();
  const removeRunning = (name: string): void => {
    running.delete(name);
    end.abort();
  };
  return {
    isRunning: ({ name }) => running.has(name),
    count: () => [...running.values()].filter(({ job }) => !isIngest(job)).length,
    start: (job, run) => {
      const done = run()
        .catch((error: unknown) => void faults.push(error))
        .finally(() => removeRunning(job.name));
      running.set(job.name, { job, run: done });
    },
    notify: ({ notify }) => {
      notifying ??= notify().finally(() => (notifying = undefined));
    },
    nextEnd: () => {
      const { signal } = end;
      if (signal.aborted) end = new AbortController();
      return signal;
    },
    ended: async () => {
      await Promise.all([notifying, ...[...running.values()].map(({ run }) => run)]);
    },
    check: () => {
      if (faults.length > 0) throw faults[0];
    },
  };
}
