import { join } from "node:path";
import { UsageError } from "../../errors.ts";
import { writeDurably } from "../../durable.ts";
import { jobsOf, type Job } from "../../schedule/job.ts";
import { readState, stateText, type State } from "../../schedule/state.ts";
import type { Settings } from "../../settings.ts";

/** The jobs of the configuration; throws UsageError where there is none. */
export function configuredJobs({ config, configFile }: Settings): Job[] {
  const jobs = jobsOf(config.schedule);
  if (jobs.length > 0) return jobs;
  throw new UsageError(
    `no jobs: ${configFile ?? "the configuration"} has nothing under schedule.jobs; add one such as "nightly": {"cron": "15 2 * * *", "ingest": {}}`,
  );
}

/** The job of a name; throws UsageError naming those there are. */
export function namedJob(jobs: readonly Job[], name: string): Job {
  const found = jobs.find((job) => job.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`no job ${name}; known: ${jobs.map((job) => job.name).join(", ")}`);
}

/** What the runner remembers between starts, a file in the home. */
export function memoryOf({ home }: Settings): {
  readonly read: () => State;
  readonly save: (state: State) => Promise<void>;
} {
  const path = join(home.root, "schedule.json");
  return { read: () => readState(path), save: (state) => writeDurably(path, stateText(state)) };
}
