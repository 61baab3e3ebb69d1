import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import type { RunLock } from "../../base/home/lock.ts";
import type { World } from "../../base/world.ts";
import { lockIn, scheduleFile } from "./jobs.ts";

// Short enough for a job of a second, and nothing to a machine that waits for an hour.
const lookAgainMs = 1000;

/**
 * One of `count` places that a home has for jobs of the schedule, whatever starts them. That may be one `schedule run`,
 * or cron and systemd with a process each. Waits for one as long as it takes; `waits` hears of that once. Undefined
 * where the signal aborts first.
 */
export async function placeFor(
  job: string,
  home: Home,
  count: number,
  waits: () => void,
  { now, sleep, signal }: Pick<World, "now" | "sleep" | "signal">,
): Promise<RunLock | undefined> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const place = freePlace(job, home, count, now());
    if (place !== undefined) return place;
    if (isFirst) waits();
    await sleep(lookAgainMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  return undefined;
}

function freePlace(job: string, home: Home, count: number, nowMs: number): RunLock | undefined {
  for (let place = 1; place <= count; place++)
    try {
      return lockIn(home, scheduleFile(home, `place-${place}.lock`), `job ${job}`, nowMs);
    } catch (error) {
      const isTaken = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
      if (!isTaken) throw error;
    }
  return undefined;
}
