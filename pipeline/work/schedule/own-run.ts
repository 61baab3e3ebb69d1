import { AuditlakeError, exitCode } from "../../base/errors.ts";
import { lockState, type RunLock } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import { linesPrinter } from "../../base/terminal/printer.ts";
import type { World } from "../../base/world.ts";
import { jobLock, lockIn } from "./jobs.ts";

// A nightly job that hangs is known of on the next night; hardly a run that is well takes as long.
const longMs = 12 * 3_600_000;

/**
 * The lock of a job that a timer starts. Undefined where its run before goes on: no job overlaps itself, and the next
 * run says what did not take place. Throws with exit code 5 where that has gone on for more than half a day.
 */
export function lockOwnRun(
  name: string,
  { home, flags }: Settings,
  world: World,
): RunLock | undefined {
  const path = jobLock(home, name);
  try {
    return lockIn(home, path, `schedule run --scheduled ${name}`, world.now());
  } catch (error) {
    const isLocked = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
    const holder = lockState(path);
    const since = holder.state === "held" ? holder.by?.since : undefined;
    const isLong = since !== undefined && world.now() - Date.parse(since) > longMs;
    if (!isLocked || isLong) throw error;
    const began = since === undefined ? "" : ` that began at ${since}`;
    const line = `${name}: its run${began} goes on, so this one does not take place`;
    if (flags.quiet !== true) linesPrinter(world)(line);
    return undefined;
  }
}
