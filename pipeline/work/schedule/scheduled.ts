import { commandText } from "../../base/command-line.ts";
import { exitCode } from "../../base/errors.ts";
import { attempt, lockedAgainMs, lockedNoticeMs, type Runner } from "./attempt.ts";
import type { Job } from "./job.ts";
import { lastRun } from "./rule.ts";
import { stateOf, withJob } from "./job-state.ts";
import { isoText } from "../../base/time/text.ts";

/**
 * Runs a job that cron or systemd starts when it is due. Resolves to its exit code, or to that of a wrong configuration
 * where it is disabled. While another run holds the lock it is tried again each minute, for an hour.
 */
export async function runScheduled(job: Job, runner: Runner): Promise<number> {
  const { world, memory, print } = runner;
  const sinceMs = world.now();
  const { disabled_ms: disabledMs } = stateOf(memory.read(), job, sinceMs);
  if (disabledMs !== null) {
    // What it refers to now is remembered: where that changes, the job is tried again.
    await memory.update((all) => withJob(all, job.name, stateOf(all, job, sinceMs)));
    print(
      `${job.name}: disabled since ${isoText(disabledMs)}; mend its configuration or what that names, or run ${commandText("schedule", "enable", job.name)}`,
    );
    return exitCode.usage;
  }
  const dueMs = lastRun(job.rule, job.timezone, sinceMs) ?? sinceMs;
  // Counted, too, since the clock may be set back meanwhile.
  for (let left = lockedNoticeMs / lockedAgainMs; ; left--) {
    const isLast = left === 0 || world.now() - sinceMs >= lockedNoticeMs;
    const { code, isLocked } = await attempt(job, dueMs, isLast ? -Infinity : sinceMs, runner);
    if (!isLocked || isLast || world.signal.aborted) return code;
    await world.sleep(lockedAgainMs, world.signal).catch((error: unknown) => {
      if (!world.signal.aborted) throw error;
    });
  }
}
