import type { Runner } from "./attempt.ts";
import type { Job } from "./job.ts";

/** The jobs that run at the moment, and the notices that are being sent. */
export type UnderWay = {
  readonly isRunning: (job: Job) => boolean;
  /** How many jobs run, without those that ingest. */
  readonly count: () => number;
  readonly start: (job: Job, run: () => Promise<void>) => void;
  /** Begins to send the notices that wait, unless that is under way. It does not wait: a slow receiver delays no job. */
  readonly notify: (runner: Runner) => void;
  /** Aborts when the next of the jobs has ended; at once where one has since this was asked last. */
  readonly nextEnd: () => AbortSignal;
  /** Resolves when all have ended. */
  readonly ended: () => Promise<void>;
  /** Throws the error of a job that the schedule cannot go on after; a job that merely failed is no such error. */
  readonly check: () => void;
};

/** Whether a job loads the log: such a job never waits for another one. */
export function isIngest({ argv }: Pick<Job, "argv">): boolean {
  return argv[0] === "ingest";
}

/** Nothing runs yet. */
export function newUnderWay(): UnderWay {
  const running = new Map<string, { readonly job: Job; readonly run: Promise<void> }>();
  const faults: unknown[] = [];
  let notifying: Promise<void> | undefined;
  let end = new AbortController();
  const over = (name: string): void => {
    running.delete(name);
    end.abort();
  };
  return {
    isRunning: ({ name }) => running.has(name),
    count: () => [...running.values()].filter(({ job }) => !isIngest(job)).length,
    start: (job, run) => {
      const done = run()
        .catch((error: unknown) => void faults.push(error))
        .finally(() => over(job.name));
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
