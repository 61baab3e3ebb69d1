import type { Runner } from "../../../pipeline/schedule/attempt.ts";
import { jobsOf, type Job } from "../../../pipeline/schedule/job.ts";
import { runSchedule } from "../../../pipeline/schedule/runner.ts";
import type { Notice } from "../../../pipeline/schedule/notice.ts";
import { sendWaiting } from "../../../pipeline/schedule/outbox.ts";
import type { Ended } from "../../../pipeline/schedule/outcome.ts";
import { noState, type Memory, type State } from "../../../pipeline/schedule/state.ts";
import { scheduleSchema } from "../../../schemas/schedule.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const start = Date.parse("2026-11-21T10:30:00Z");

export type Play = {
  readonly jobs: Readonly<Record<string, unknown>>;
  readonly untilMs?: number;
  /** How long a job takes and how it ends; `dies` where the whole machine goes down meanwhile. */
  readonly run?: (name: string, nowMs: number) => Ended & { tookMs: number; dies?: boolean };
  /** Where the clock jumps, and how far: the machine slept, or somebody set it. */
  readonly jump?: { readonly atMs: number; readonly byMs: number };
  readonly before?: State;
  readonly fromMs?: number;
  readonly disableAfter?: number;
  /** Whether a notice arrives. */
  readonly arrives?: (notice: Notice, nowMs: number) => boolean;
  readonly isNotified?: boolean;
};

export type Played = {
  readonly runs: readonly string[];
  readonly said: readonly string[];
  /** Notices as they arrived. */
  readonly notices: readonly Notice[];
  readonly state: State;
};

class MachineDown extends Error {}

/** Plays the schedule with a clock that stands still but for sleeping and for what jobs take. */
export async function play(
  { jobs, untilMs = Infinity, run, jump, before = noState, fromMs = start, ...more }: Play,
  drive: (jobs: readonly Job[], runner: Runner) => Promise<unknown>,
): Promise<Played> {
  const end = new AbortController();
  let nowMs = fromMs;
  let hasJumped = false;
  const runs: string[] = [];
  const said: string[] = [];
  const notices: Notice[] = [];
  let state = structuredClone(before);
  const memory: Memory = {
    read: () => structuredClone(state),
    update: (change) => Promise.resolve(void (state = structuredClone(change(state)))),
  };
  const pass = (ms: number): void => {
    nowMs += ms;
    if (jump !== undefined && !hasJumped && nowMs >= jump.atMs) {
      nowMs += jump.byMs;
      hasJumped = true;
    }
    if (nowMs >= untilMs) end.abort();
  };
  const send = (notice: Notice): Promise<void> => {
    if (more.arrives?.(notice, nowMs) === false) return Promise.reject(new Error("gone"));
    return Promise.resolve(void notices.push(notice));
  };
  const runner: Runner = {
    world: { now: () => nowMs, sleep: (ms) => Promise.resolve(pass(ms)), signal: end.signal },
    start: (job) => {
      runs.push(`${new Date(nowMs).toISOString().slice(11, 16)} ${job.name}`);
      const { tookMs, dies, ...ended } = run?.(job.name, nowMs) ?? { tookMs: 1000, code: 0 };
      pass(tookMs);
      return dies === true ? Promise.reject(new MachineDown()) : Promise.resolve(ended);
    },
    memory,
    say: (line) => said.push(line),
    mention: (line) => said.push(line),
    facts: more.isNotified === false ? undefined : () => ({ source: "prod", more: "see" }),
    tell: () => sendWaiting(memory, send).catch(() => undefined),
    disableAfter: more.disableAfter ?? 5,
  };
  await drive(jobsOf(scheduleSchema.parse({ jobs })), runner).catch((error: unknown) => {
    if (!(error instanceof MachineDown)) throw error;
  });
  return { runs, said, notices, state };
}

/** Stays and runs these jobs, whatever becomes of the configuration. */
export function stay(jobs: readonly Job[], runner: Runner): Promise<void> {
  return runSchedule(() => ({ jobs, runner }), runner.world);
}
