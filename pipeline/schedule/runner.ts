import { exitCode } from "../errors.ts";
import type { World } from "../world.ts";
import type { Job } from "./job.ts";
import { lastRun, nextRuns } from "./rule.ts";
import { stateOf, type JobState, type State } from "./state.ts";

/** What the runner needs of the outside. */
export type Runner = {
  readonly world: Pick<World, "now" | "sleep" | "signal">;
  /** Runs a job to its end; resolves to its exit code. The signal asks it to end in order. */
  readonly start: (job: Job, signal: AbortSignal) => Promise<number>;
  readonly save: (state: State) => Promise<void>;
  readonly say: (line: string) => void;
  /** Tells somebody elsewhere of a run that failed; never throws. */
  readonly notify: (notice: Notice) => Promise<void>;
  /** Failures over the configuration, in a row, after which a job is disabled. */
  readonly disableAfter: number;
};

/** A run that failed, as somebody elsewhere is told of it. */
export type Notice = {
  readonly job: string;
  readonly exitCode: number;
  readonly dueMs: number;
  readonly finishedMs: number;
  /** Failures in a row over the configuration, and after how many the job is disabled. */
  readonly failures: number;
  readonly disableAfter: number;
  readonly isDisabled: boolean;
  /** What the runner says of it. */
  readonly message: string;
};

// The clock may be set, and a machine may sleep: the time is looked at again at least this often.
const longestSleepMs = 60_000;
// Another run holds the lock, most likely one started by hand.
const lockedAgainMs = 60_000;
const configurationFailures: readonly number[] = [exitCode.usage, exitCode.refused];

/**
 * Runs jobs when they are due, one after the other, until the signal aborts. A job that was due while the
 * machine slept, or while another job or the job itself ran, runs once, however often it was due.
 */
export async function runSchedule(
  jobs: readonly Job[],
  before: State,
  runner: Runner,
): Promise<void> {
  const { world, save } = runner;
  const state = met(jobs, before, world.now());
  await save(state);
  const notBefore = new Map<string, number>();
  while (!world.signal.aborted) {
    const due = jobs
      .map((job) => ({ job, dueMs: dueOf(job, state, world.now()) }))
      .filter(
        ({ job, dueMs }) => dueMs !== undefined && world.now() >= (notBefore.get(job.name) ?? 0),
      )
      .toSorted((a, b) => a.dueMs! - b.dueMs!)[0];
    if (due === undefined) await nap(jobs, state, notBefore, runner);
    else {
      const isLocked = await runOnce(due.job, due.dueMs!, state, runner);
      if (isLocked) notBefore.set(due.job.name, world.now() + lockedAgainMs);
    }
  }
}

function met(jobs: readonly Job[], { jobs: known }: State, nowMs: number): State {
  const of = (job: Job): [string, JobState] => [
    job.name,
    stateOf({ jobs: known }, job.name, job.fingerprint, nowMs),
  ];
  return { jobs: Object.fromEntries(jobs.map(of)) };
}

// The scheduled moment that waits to be dealt with, if there is one.
function dueOf(job: Job, { jobs }: State, nowMs: number): number | undefined {
  const { handled_ms: handledMs, disabled_ms: disabledMs } = jobs[job.name]!;
  if (disabledMs !== null) return undefined;
  const last = lastRun(job.rule, job.timezone, nowMs);
  return last !== undefined && last > handledMs ? last : undefined;
}

async function runOnce(
  job: Job,
  dueMs: number,
  state: State,
  { world, start, save, say, notify, disableAfter }: Runner,
): Promise<boolean> {
  const startedMs = world.now();
  say(`${job.name}: started, due ${iso(dueMs)}`);
  const code = await start(job, world.signal);
  const finishedMs = world.now();
  const isLocked = code === exitCode.locked;
  const before = state.jobs[job.name]!;
  const isInterrupted = world.signal.aborted && code !== exitCode.done;
  const failures = configurationFailures.includes(code) ? before.failures + 1 : 0;
  const disabledMs = failures >= disableAfter ? finishedMs : null;
  state.jobs[job.name] = {
    ...before,
    // What did not run, or was broken off, is still due.
    handled_ms: isLocked || isInterrupted ? before.handled_ms : dueMs,
    started_ms: startedMs,
    finished_ms: finishedMs,
    exit_code: code,
    failures,
    disabled_ms: disabledMs,
  };
  await save(state);
  const isDisabled = disabledMs !== null;
  const lines = outcomeLines(job, code, failures, isDisabled, disableAfter);
  for (const line of lines) say(line);
  if (code !== exitCode.done && !isLocked && !isInterrupted) {
    const counts = { failures, disableAfter, isDisabled };
    const message = lines.join("; ");
    await notify({ job: job.name, exitCode: code, dueMs, finishedMs, ...counts, message });
  }
  return isLocked;
}

function outcomeLines(
  { name }: Job,
  code: number,
  failures: number,
  isDisabled: boolean,
  disableAfter: number,
): string[] {
  if (code === exitCode.done) return [`${name}: done`];
  if (code === exitCode.locked)
    return [`${name}: another run holds the lock; tried again in a minute`];
  if (failures === 0) return [`${name}: ended with exit code ${code}`];
  const why = `${name}: failed over its configuration (exit code ${code}), ${failures} of ${disableAfter} times in a row`;
  return isDisabled
    ? [why, `${name}: disabled; mend its configuration, or run auditlake schedule enable ${name}`]
    : [why];
}

async function nap(
  jobs: readonly Job[],
  state: State,
  notBefore: ReadonlyMap<string, number>,
  { world }: Runner,
): Promise<void> {
  const nowMs = world.now();
  const moments = jobs
    .filter(({ name }) => state.jobs[name]!.disabled_ms === null)
    .flatMap(({ rule, timezone }) => nextRuns(rule, timezone, nowMs, 1));
  const waiting = [...notBefore.values()].filter((ms) => ms > nowMs);
  const untilMs = Math.min(nowMs + longestSleepMs, ...moments, ...waiting);
  await world.sleep(Math.max(untilMs - nowMs, 1), world.signal).catch((error: unknown) => {
    if (!world.signal.aborted) throw error;
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
