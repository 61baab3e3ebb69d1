import { getMessage } from "../../base/errors.ts";
import { createHome, type Home, resolveHome } from "../../base/home/layout.ts";
import { buildNoticeId, listSecrets, formatCause } from "./notice.ts";
import { type Running, withFailure } from "./job-outcome.ts";
import { parseRule } from "./rule.ts";
import { type JobState, noState, type State, getJobState, withJob } from "./job-state.ts";
import { type GlobalFlags, readSettings, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { listConfiguredJobs, getJobLock, findJob, scheduleFile, openSharedMemory } from "./jobs.ts";
import { newSender, describeUnsent } from "./notify.ts";
import { getJobFacts, sendAll } from "./runner.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { configSchema } from "../../../schemas/config.ts";
import type { Target } from "../../../schemas/connectors.ts";
import { getDestination } from "../registry.ts";
import { writeDurably } from "../../base/home/durable.ts";
import { lockState } from "../../base/home/lock.ts";
import { formatIso } from "../../base/time/text.ts";

/** Reads the settings of a command line; if they are broken, the stored part of the last valid ones. */
export function readOrKeptSettings(flags: GlobalFlags, world: World): Settings | undefined {
  try {
    return readSettings(flags, world);
  } catch {
    const home = findHomeWithoutConfig(flags, world);
    return home === undefined ? undefined : readKeptSettings(home, flags);
  }
}

/** Notifies of a job that could not start, once per cause until it recovers; never throws. */
export async function notifyUnstarted(
  name: string,
  error: unknown,
  flags: GlobalFlags,
  world: World,
): Promise<void> {
  const settings = readOrKeptSettings(flags, world);
  if (settings?.config.schedule.notify === undefined) return;
  const cause = formatCause(getMessage(error), listSecrets(settings, world));
  try {
    await notifyFailure(name, cause, (state) => state, settings, world);
  } catch (fault) {
    plainPrinter(world, {})(describeUnsent(settings, fault));
  }
}

/**
 * Sends the notice of a failure that no run could report, and all waiting ones. `changeIfRunning` is applied to the
 * state of the job. Throws if the notice may not have arrived.
 */
export async function notifyFailure(
  name: string,
  cause: string,
  change: (job: State["jobs"][string]) => State["jobs"][string],
  settings: Settings,
  world: World,
): Promise<void> {
  const nowMs = world.now();
  const running = newStandIn(name, settings, nowMs);
  const changeState = (all: State): State => {
    const known = all.jobs[name] ?? getJobState(all, running.job, nowMs);
    const { state, notices } = withFailure(running, nowMs, cause, change(known));
    return withJob(all, name, state, notices);
  };
  const memory = openSharedMemory(settings.home, world);
  try {
    await createHome(settings.home, () => undefined);
    await memory.update(changeState);
  } catch {
    // A memory that cannot be stored must not prevent a notice.
    const [notice] = changeState(noState).notices;
    return newSender(
      settings,
      world,
      plainPrinter(world, {}),
    )?.({
      ...notice!,
      id: buildNoticeId(name, "failed", nowMs),
    });
  }
  await sendAll(settings, memory, world);
}

// The configuration may not know the job any more.
function newStandIn(name: string, settings: Settings, nowMs: number): Running {
  const job = { name, rule: parseRule("none"), timezone: "UTC", argv: [], fingerprint: "" };
  const disableAfter = settings.config.schedule.disable_after;
  return {
    job,
    facts: getJobFacts(job, settings),
    dueMs: nowMs,
    startedMs: nowMs,
    disableAfter,
  };
}

// A broken configuration cannot name notification targets, so the last valid ones are stored.

/**
 * Stores the part of the configuration that names the targets of notices. A secret in the configuration itself is not
 * written anywhere else: such a webhook is not stored.
 */
export async function keepNotify({ home, config, configFolder }: Settings): Promise<void> {
  const { notify = [], disable_after } = config.schedule;
  const path = scheduleFile(home, "notify.json");
  const targets = notify.flatMap((name) => {
    const target = config.targets[name];
    return target === undefined || !isKept(target) ? [] : [[name, target] as const];
  });
  if (targets.length === 0) return rm(path, { force: true });
  const names = targets.flatMap(([, { authentication }]) => authentication ?? []);
  const kept = {
    folder: configFolder,
    config: {
      authentications: Object.fromEntries(
        names.map((name) => [name, config.authentications[name]]),
      ),
      targets: Object.fromEntries(targets),
      schedule: { disable_after, notify: targets.map(([name]) => name) },
    },
  };
  const text = `${JSON.stringify(kept, null, 2)}\n`;
  if (!existsSync(path) || readFileSync(path, "utf8") !== text)
    await writeDurably(path, Buffer.from(text));
}

function isKept(target: Target): boolean {
  return getDestination(target).canNotifyAlone?.(target) === true;
}

/** The home of a command line whose configuration cannot be read; undefined where only that names it. */
export function findHomeWithoutConfig(flags: GlobalFlags, { env }: World): Home | undefined {
  const path = flags.home ?? env["AUDITLAKE_HOME"];
  return path === undefined ? undefined : resolveHome(path);
}

/** Reads the stored settings; undefined if there are none or they are unreadable. */
export function readKeptSettings(home: Home, flags: GlobalFlags): Settings | undefined {
  try {
    const { folder, config } = JSON.parse(
      readFileSync(scheduleFile(home, "notify.json"), "utf8"),
    ) as { folder: string; config: unknown };
    return {
      home,
      config: configSchema.parse(config),
      configFile: undefined,
      configFolder: folder,
      flags,
    };
  } catch {
    return undefined;
  }
}

/**
 * Sends the notice of a job whose unit failed, unless its run has reported that already or is under way. Sends
 * everything else that waits, too; throws where a notice may not have arrived.
 */
export async function notifyFailed(name: string, settings: Settings, world: World): Promise<void> {
  const memory = openSharedMemory(settings.home, world);
  const job = memory.read().jobs[name];
  // A job can be missing in the configuration, but still have units.
  if (job === undefined) findJob(listConfiguredJobs(settings), name);
  const isReported = job !== undefined && !isUnderWay(job) && job.reported.length > 0;
  // A unit that failed because an earlier run was active shows nothing about that run.
  const isHeld = lockState(getJobLock(settings.home, name)).state === "held";
  if (isReported || isHeld) return sendAll(settings, memory, world);
  const cause = `${getStart(job)}${readUnit(world)}`;
  const over = { finished_ms: world.now(), exit_code: 1 };
  const changeIfRunning = (state: JobState): JobState =>
    isUnderWay(state) ? { ...state, ...over } : state;
  await notifyFailure(name, cause, changeIfRunning, settings, world);
}

function isUnderWay({ started_ms, finished_ms }: JobState): boolean {
  return started_ms !== null && finished_ms === null;
}

function getStart(job: JobState | undefined): string {
  return job !== undefined && isUnderWay(job)
    ? `the run of ${formatIso(job.started_ms!)} was interrupted: `
    : "the run could not start: ";
}

// What systemd passes to the unit that OnFailure= starts.
function readUnit({ env }: World): string {
  const words = ["MONITOR_SERVICE_RESULT", "MONITOR_EXIT_CODE", "MONITOR_EXIT_STATUS"]
    .map((variable) => env[variable])
    .filter((word) => word !== undefined && /^[\w-]{1,40}$/.test(word));
  return words.length === 0 ? "the unit failed" : `the unit failed (${words.join(", ")})`;
}
