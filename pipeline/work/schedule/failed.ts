import { lockState } from "../../base/home/lock.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { JobState } from "./job-state.ts";
import type { World } from "../../base/world.ts";
import { configuredJobs, jobLock, namedJob, sharedMemoryOf } from "./jobs.ts";
import { sendAll } from "./runner.ts";
import { notifyFailure } from "./unstarted.ts";
import { isoText } from "../../base/time/text.ts";

/**
 * Sends the notice of a job whose unit failed, unless its run has reported that already or is under way. Sends
 * everything else that waits, too; throws where a notice may not have arrived.
 */
export async function notifyFailed(name: string, settings: Settings, world: World): Promise<void> {
  const memory = sharedMemoryOf(settings.home, world);
  const job = memory.read().jobs[name];
  // One that ran before may have left the configuration, and not the units.
  if (job === undefined) namedJob(configuredJobs(settings), name);
  const isReported = job !== undefined && !isUnderWay(job) && job.told.length > 0;
  // A unit that failed since an earlier run had not ended says nothing of that run.
  const isHeld = lockState(jobLock(settings.home, name)).state === "held";
  if (isReported || isHeld) return sendAll(settings, memory, world);
  const cause = `${beginning(job)}${unitText(world)}`;
  const over = { finished_ms: world.now(), exit_code: 1 };
  const change = (state: JobState): JobState => (isUnderWay(state) ? { ...state, ...over } : state);
  await notifyFailure(name, cause, change, settings, world);
}

function isUnderWay({ started_ms, finished_ms }: JobState): boolean {
  return started_ms !== null && finished_ms === null;
}

function beginning(job: JobState | undefined): string {
  return job !== undefined && isUnderWay(job)
    ? `the run that began at ${isoText(job.started_ms!)} was broken off: `
    : "the run could not begin: ";
}

// What systemd tells the unit that OnFailure= starts.
function unitText({ env }: World): string {
  const words = ["MONITOR_SERVICE_RESULT", "MONITOR_EXIT_CODE", "MONITOR_EXIT_STATUS"]
    .map((variable) => env[variable])
    .filter((word) => word !== undefined && /^[\w-]{1,40}$/.test(word));
  return words.length === 0 ? "the unit failed" : `the unit failed (${words.join(", ")})`;
}
