import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { AuditlakeError } from "../../base/errors.ts";
import { notice, type Notice } from "./notice.ts";
import { getOwn } from "../../base/home/get-own.ts";
import type { Job } from "./job.ts";

const jobState = z.object({
  fingerprint: z.string(),
  /** The zone of its scheduled moments; missing in files of an earlier version. */
  timezone: z.string().optional(),
  /** The digest of what it referred to; missing in what an earlier version wrote. */
  referred: z.string().optional(),
  /** The last scheduled moment that is dealt with, epoch milliseconds: nothing up to it is run again. */
  handled_ms: z.int(),
  /** The last scheduled moment with a started run; earlier ones have run or were reported as missed. */
  begun_ms: z.int().default(0),
  started_ms: z.int().nullable(),
  /** Null during a run, and after a killed one. */
  finished_ms: z.int().nullable(),
  exit_code: z.int().nullable(),
  /** Failures in a row over the configuration; each was notified. */
  failures: z.int(),
  disabled_ms: z.int().nullable(),
  /** Causes that were reported since the job was last well, in the form they are compared in, and when. */
  reported: z.array(z.object({ cause: z.string(), at_ms: z.int() })).default([]),
});

const stateSchema = z.object({
  jobs: z.record(z.string(), jobState),
  /** Notices that wait to be sent, the oldest first. */
  notices: z.array(notice).default([]),
});

export type JobState = z.infer<typeof jobState>;
export type State = z.infer<typeof stateSchema>;

/** What the schedule remembers; a change is on the disk when `update` resolves. */
export type Memory = {
  readonly read: () => State;
  readonly update: (change: (state: State) => State) => Promise<void>;
};

/** The state before the first run. */
export const noState: State = { jobs: {}, notices: [] };

/** What the schedule remembers, from the first file that is there; nothing yet where none is. Throws where it is damaged. */
export function readState(...paths: readonly string[]): State {
  const path = paths.find((each) => existsSync(each));
  if (path === undefined) return noState;
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new AuditlakeError(
      `${path} is not a valid schedule state file; move it aside and start again: jobs then resume with their next run`,
      undefined,
      { cause: error },
    );
  }
}

export function writeState(state: State): Buffer {
  return Buffer.from(`${JSON.stringify(state, null, 2)}\n`);
}

// A clock is set back by less all the time; what it said before then still counts.
const clockSlackMs = 3_600_000;

/**
 * Returns the state of a job; a new one if it is unknown, or if its configuration or time zone has changed, since its
 * moments would not match. A moment far in the future comes from a wrong clock and would delay the job until then.
 */
export function getJobState(
  state: State,
  job: Pick<Job, "name" | "fingerprint" | "timezone" | "referred">,
  nowMs: number,
): JobState {
  const { name, fingerprint, timezone, referred } = job;
  const known = getOwn(state.jobs, name);
  const isSame = known?.fingerprint === fingerprint && (known.timezone ?? timezone) === timezone;
  if (known !== undefined && isSame) {
    const isAhead = Math.max(known.handled_ms, known.begun_ms) > nowMs + clockSlackMs;
    const right = isAhead ? { ...known, handled_ms: nowMs, begun_ms: nowMs } : known;
    return withReferred(right, timezone, referred, nowMs);
  }
  return {
    fingerprint,
    timezone,
    referred,
    handled_ms: nowMs,
    begun_ms: nowMs,
    started_ms: known?.started_ms ?? null,
    finished_ms: known?.finished_ms ?? null,
    exit_code: known?.exit_code ?? null,
    failures: 0,
    disabled_ms: null,
    reported: known?.reported ?? [],
  };
}

// The cause may have been fixed, so the job is tried again. Runs that were missed while it was disabled are not
// repeated.
function withReferred(
  known: JobState,
  timezone: string,
  referred: string | undefined,
  nowMs: number,
): JobState {
  if (known.timezone === timezone && known.referred === referred) return known;
  const now = { ...known, timezone, referred };
  if (known.referred === undefined || known.referred === referred) return now;
  const isDisabled = known.disabled_ms !== null;
  return {
    ...now,
    handled_ms: isDisabled ? nowMs : known.handled_ms,
    failures: 0,
    disabled_ms: null,
  };
}

// A receiver that was unreachable for so long receives the newest only.
const maxWaiting = 100;

export function withJob(
  state: State,
  name: string,
  job: JobState,
  notices: readonly Notice[] = [],
): State {
  return {
    jobs: { ...state.jobs, [name]: job },
    notices: [...state.notices, ...notices].slice(-maxWaiting),
  };
}
