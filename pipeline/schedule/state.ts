import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { AuditlakeError } from "../errors.ts";

const jobState = z.object({
  fingerprint: z.string(),
  /** The last scheduled moment that is dealt with, epoch milliseconds: nothing up to it is run again. */
  handled_ms: z.int(),
  started_ms: z.int().nullable(),
  finished_ms: z.int().nullable(),
  exit_code: z.int().nullable(),
  /** Failures in a row over the configuration; each was notified. */
  failures: z.int(),
  disabled_ms: z.int().nullable(),
});

const stateSchema = z.object({ jobs: z.record(z.string(), jobState) });

export type JobState = z.infer<typeof jobState>;
export type State = z.infer<typeof stateSchema>;

/** What the runner remembers; nothing yet where the file is not there. Throws where the file is damaged. */
export function readState(path: string): State {
  if (!existsSync(path)) return { jobs: {} };
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new AuditlakeError(
      `${path} cannot be read as the schedule's memory; move it aside and start again: jobs then begin with their next run`,
      undefined,
      { cause: error },
    );
  }
}

/** The bytes of the file. */
export function stateText(state: State): Buffer {
  return Buffer.from(`${JSON.stringify(state, null, 2)}\n`);
}

/** The state of a job as it is met: begun anew where it is not known yet or its configuration has changed. */
export function stateOf(state: State, name: string, fingerprint: string, nowMs: number): JobState {
  const known = state.jobs[name];
  if (known?.fingerprint === fingerprint) return known;
  return {
    fingerprint,
    handled_ms: nowMs,
    started_ms: known?.started_ms ?? null,
    finished_ms: known?.finished_ms ?? null,
    exit_code: known?.exit_code ?? null,
    failures: 0,
    disabled_ms: null,
  };
}
