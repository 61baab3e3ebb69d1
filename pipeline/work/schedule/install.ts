import { UsageError } from "../../base/errors.ts";
import type { Call } from "../../base/command-line.ts";
import type { Job } from "./job.ts";

/** A job that has a time, and its five fields. */
export type Timed = { readonly job: Job; readonly pattern: string };

/** The jobs that run at a time of their own. */
export function timed(jobs: readonly Job[]): Timed[] {
  return jobs.flatMap((job) =>
    job.rule.pattern === null ? [] : [{ job, pattern: job.rule.pattern }],
  );
}

/** What follows the program's own words where cron or systemd starts a job. */
export function timerWords(job: string): string[] {
  return ["--quiet", "schedule", "run", "--scheduled", job];
}

/** Throws UsageError where a path cannot stand in a crontab or unit: a line break would begin another line. */
export function refuseUnprintable({ words, folder }: Call): void {
  const found = [folder, ...words].find((word) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(word));
  if (found !== undefined)
    throw new UsageError(
      `${JSON.stringify(found)} has a line break or control character in it, which a crontab or unit cannot hold; move it`,
    );
}
