import type { Rows } from "../../base/rows/row.ts";
import { textResult } from "../../answers/report/result.ts";
import { shellWords } from "../../base/command-line.ts";
import type { Job } from "../../work/schedule/job.ts";
import { nextRuns } from "../../work/schedule/rule.ts";
import { stateOf, type State } from "../../work/schedule/job-state.ts";
import { own } from "../../base/home/own.ts";
import { secondText } from "../../base/time/text.ts";

const names = ["job", "state", "next_run", "last_run", "exit_code", "when", "timezone", "does"];

/** One row per job: when, what, the next run and how the last one went. */
export function jobRows(jobs: readonly Job[], all: State, nowMs: number): Rows {
  const rows = jobs.map((job) => {
    const state = own(all.jobs, job.name);
    const isDisabled = stateOf(all, job, nowMs).disabled_ms !== null;
    const next = isDisabled ? undefined : nextRuns(job.rule, job.timezone, nowMs, 1)[0];
    const last = state?.started_ms ?? undefined;
    return [
      job.name,
      isDisabled ? "disabled" : job.rule.pattern === null ? "by hand" : "scheduled",
      next === undefined ? null : secondText(next),
      last === undefined ? null : secondText(last),
      state === undefined || state.exit_code === null ? null : String(state.exit_code),
      job.rule.pattern === null ? "none" : job.rule.text,
      job.timezone,
      shellWords(job.argv),
    ];
  });
  return textResult(names, rows);
}
