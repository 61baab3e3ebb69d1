import { attempt, lockedAgainMs, type Runner } from "./attempt.ts";
import type { Job } from "./job.ts";
import { lastRun, nextRuns } from "./rule.ts";
import { isIngest, newUnderWay, type UnderWay } from "./under-way.ts";
import type { World } from "../../base/world.ts";
import { stateOf, type JobState, type State } from "./job-state.ts";

// The clock may be set, and a machine may sleep: the time is looked at again at least this often.
const longestSleepMs = 60_000;

/** When a job that found the lock held is tried again, and since when it is. */
type Waiting = Map<string, { readonly notBeforeMs: number; readonly sinceMs: number }>;

/** What is to be run, as the configuration has it by now. */
export type Scheduled = { readonly jobs: readonly Job[]; readonly runner: Runner };

/**
 * Runs jobs when they are due, several side by side, until the signal aborts; then it waits for those that run. A job
 * never overlaps itself: one that was due while the machine slept, or while it ran, runs once, however often it was
 * due. At most `parallel` run at a time, the first due first; an ingest never waits for another job. What is to be run
 * is asked for anew each time: a job that came or changed begins with its next run.
 */
export async function runSchedule(
  now: () => Scheduled,
  { signal }: Pick<World, "signal">,
): Promise<void> {
  const { memory, world: first } = now().runner;
  await memory.update((before) => met(now().jobs, before, first.now()));
  const waiting: Waiting = new Map();
  const under = newUnderWay();
  try {
    while (!signal.aborted) {
      const { jobs, runner } = now();
      under.notify(runner);
      const state = await current(jobs, runner);
      for (const { job, dueMs } of startable(jobs, state, waiting, under, runner))
        under.start(job, () => runDue(job, dueMs, waiting, runner));
      await nap(jobs, state, waiting, under, runner);
    }
  } finally {
    await under.ended();
  }
  under.check();
}

type Due = { readonly job: Job; readonly dueMs: number };

// The first due first; where too many run, all but an ingest wait until one of them has ended.
function startable(
  jobs: readonly Job[],
  state: State,
  waiting: Waiting,
  { isRunning, count }: UnderWay,
  { world, parallel }: Runner,
): Due[] {
  const nowMs = world.now();
  const due = jobs
    .flatMap((job) => {
      const dueMs = isRunning(job) ? undefined : dueOf(job, state, nowMs);
      return dueMs === undefined || waits(waiting, job, nowMs) ? [] : [{ job, dueMs }];
    })
    .toSorted((a, b) => a.dueMs - b.dueMs);
  const others = due.filter(({ job }) => !isIngest(job)).slice(0, Math.max(parallel - count(), 0));
  return due.filter((each) => isIngest(each.job) || others.includes(each));
}

async function runDue(job: Job, dueMs: number, waiting: Waiting, runner: Runner): Promise<void> {
  const sinceMs = waiting.get(job.name)?.sinceMs;
  const { isLocked } = await attempt(job, dueMs, sinceMs, runner);
  const nowMs = runner.world.now();
  if (isLocked)
    waiting.set(job.name, { notBeforeMs: nowMs + lockedAgainMs, sinceMs: sinceMs ?? nowMs });
  else waiting.delete(job.name);
}

// A wait that is longer than any comes from a clock that was set back since.
function waits(waiting: Waiting, { name }: Job, nowMs: number): boolean {
  const leftMs = (waiting.get(name)?.notBeforeMs ?? nowMs) - nowMs;
  return leftMs > 0 && leftMs <= lockedAgainMs;
}

// What is remembered, put right first where the clock was set back since.
async function current(jobs: readonly Job[], { memory, world }: Runner): Promise<State> {
  const state = memory.read();
  const isRight = (job: Job): boolean => stateOf(state, job, world.now()) === state.jobs[job.name];
  if (jobs.every(isRight)) return state;
  await memory.update((before) => met(jobs, before, world.now()));
  return memory.read();
}

function met(jobs: readonly Job[], before: State, nowMs: number): State {
  const of = (job: Job): [string, JobState] => [job.name, stateOf(before, job, nowMs)];
  return { ...before, jobs: Object.fromEntries(jobs.map(of)) };
}

// The scheduled moment that waits to be dealt with, if there is one.
function dueOf(job: Job, state: State, nowMs: number): number | undefined {
  const { handled_ms: handledMs, disabled_ms: disabledMs } = state.jobs[job.name]!;
  if (disabledMs !== null) return undefined;
  const last = lastRun(job.rule, job.timezone, nowMs);
  return last !== undefined && last > handledMs ? last : undefined;
}

// Until something is due, or may be since a job has ended.
async function nap(
  jobs: readonly Job[],
  state: State,
  waiting: Waiting,
  under: UnderWay,
  { world }: Runner,
): Promise<void> {
  under.check();
  const nowMs = world.now();
  const moments = jobs
    .filter(({ name }) => state.jobs[name]!.disabled_ms === null)
    .flatMap(({ rule, timezone }) => nextRuns(rule, timezone, nowMs, 1));
  const again = [...waiting.values()].map((each) => each.notBeforeMs).filter((ms) => ms > nowMs);
  const untilMs = Math.min(nowMs + longestSleepMs, ...moments, ...again);
  const woken = AbortSignal.any([world.signal, under.nextEnd()]);
  await world.sleep(Math.max(untilMs - nowMs, 1), woken).catch((error: unknown) => {
    if (!woken.aborted) throw error;
  });
  under.check();
}
