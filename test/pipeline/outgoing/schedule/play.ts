import { formatLine } from "../../../../pipeline/base/notice/printer.ts";
import type { Runner } from "../../../../pipeline/outgoing/schedule/attempt.ts";
import { listJobs, type Job } from "../../../../pipeline/outgoing/schedule/job.ts";
import { runSchedule } from "../../../../pipeline/outgoing/schedule/run-loop.ts";
import type { Notice } from "../../../../pipeline/outgoing/schedule/notice.ts";
import { sendWaiting } from "../../../../pipeline/outgoing/schedule/notify.ts";
import type { JobEnd } from "../../../../pipeline/outgoing/schedule/job-outcome.ts";
import {
  noState,
  type Memory,
  type State,
} from "../../../../pipeline/outgoing/schedule/job-state.ts";
import { scheduleSchema } from "../../../../schemas/schedule.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const start = Date.parse("2026-11-21T10:30:00Z");

export type Play = {
  readonly jobs: Readonly<Record<string, unknown>>;
  readonly untilMs?: number;
  /** How long a job takes and how it ends; `dies` where the whole machine goes down meanwhile. */
  readonly run?: (name: string, nowMs: number) => JobEnd & { tookMs: number; dies?: boolean };
  /** Where the clock jumps, and how far: the machine slept, or the clock was set. */
  readonly jump?: { readonly atMs: number; readonly byMs: number };
  readonly before?: State;
  readonly fromMs?: number;
  readonly disableAfter?: number;
  readonly parallel?: number;
  /** Whether a notice arrives. */
  readonly arrives?: (notice: Notice, nowMs: number) => boolean;
  readonly isNotified?: boolean;
  /** That of the schedule. */
  readonly timezone?: string;
};

export type Played = {
  readonly runs: readonly string[];
  readonly printed: readonly string[];
  /** Notices as they arrived. */
  readonly notices: readonly Notice[];
  readonly state: State;
};

class MachineDown extends Error {}

type Timer = { readonly atMs: number; readonly wake: () => void };

/**
 * Plays the schedule with a clock that advances only while nothing else is to be done. It jumps to the next moment at
 * which a sleep or a job ends.
 */
export async function play(
  { jobs, untilMs = Infinity, run, jump, before = noState, fromMs = start, ...more }: Play,
  drive: (jobs: readonly Job[], runner: Runner) => Promise<unknown>,
): Promise<Played> {
  const end = new AbortController();
  // Sleeps keep their duration, regardless of changes to the wall clock.
  let passedMs = 0;
  let setByMs = 0;
  const now = (): number => fromMs + passedMs + setByMs;
  const timers: Timer[] = [];
  const runs: string[] = [];
  const printed: string[] = [];
  const notices: Notice[] = [];
  let state = structuredClone(before);
  const memory: Memory = {
    read: () => structuredClone(state),
    update: (change) => Promise.resolve(void (state = structuredClone(change(state)))),
  };
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = { atMs: passedMs + ms, wake: resolve };
      timers.push(timer);
      const stop = (): void => {
        timers.splice(timers.indexOf(timer), 1);
        reject(new Error("woken"));
      };
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", () => timers.includes(timer) && stop());
    });
  const goOn = (): void => {
    const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
    if (next === undefined) return;
    timers.splice(timers.indexOf(next), 1);
    passedMs = Math.max(passedMs, next.atMs);
    if (jump !== undefined && setByMs === 0 && now() >= jump.atMs) setByMs = jump.byMs;
    if (now() >= untilMs) end.abort();
    next.wake();
  };
  const send = (notice: Notice): Promise<void> => {
    if (more.arrives?.(notice, now()) === false) return Promise.reject(new Error("gone"));
    return Promise.resolve(void notices.push(notice));
  };
  const runner: Runner = {
    world: { now, sleep, signal: end.signal },
    start: async (job) => {
      runs.push(`${new Date(now()).toISOString().slice(11, 16)} ${job.name}`);
      const { tookMs, dies, ...ended } = run?.(job.name, now()) ?? { tookMs: 1000, code: 0 };
      await sleep(tookMs);
      if (dies === true) throw new MachineDown();
      return ended;
    },
    memory,
    print: (line) => printed.push(formatLine(line)),
    mention: (line) => printed.push(line),
    facts: more.isNotified === false ? undefined : () => ({ source: "prod", more: "see" }),
    notify: () => sendWaiting(memory, send).catch(() => undefined),
    disableAfter: more.disableAfter ?? 5,
    parallel: more.parallel ?? 3,
  };
  let isOver = false;
  const over = drive(listJobs(scheduleSchema.parse({ jobs, timezone: more.timezone })), runner)
    .catch((error: unknown) => {
      if (!(error instanceof MachineDown)) throw error;
    })
    .finally(() => (isOver = true));
  while (!isOver) {
    // What follows from the last step happens first.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) goOn();
  }
  await over;
  return { runs, printed, notices, state };
}

/** Stays and runs these jobs, regardless of the configuration. */
export function stay(jobs: readonly Job[], runner: Runner): Promise<void> {
  return runSchedule(() => ({ jobs, runner }), runner.world);
}
