import { warning } from "../../base/notice/notice.ts";
import { AuditlakeError, exitCode, getMessage } from "../../base/errors.ts";
import { createHome } from "../../base/home/layout.ts";
import { type GlobalFlags, readSettings, type Settings } from "../../base/home/settings.ts";
import { checkNotify, newPatientSender, describeUnsent } from "./notify.ts";
import { runSchedule, type Schedule } from "./run-loop.ts";
import { type Runner, runScheduled } from "./attempt.ts";
import { plainPrinter, type Print } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import {
  listConfiguredJobs,
  getJobLock,
  lockIn,
  lockSchedule,
  openMemory,
  findJob,
  openSharedMemory,
} from "./jobs.ts";
import { keepNotify, notifyUnstarted } from "./failed-starts.ts";
import { newRunner, sendAll } from "./runner.ts";
import { listUnrunnable } from "./unrunnable-jobs.ts";
import { lockState, type RunLock } from "../../base/home/lock.ts";
import { statSync } from "node:fs";
import type { Memory } from "./job-state.ts";

export async function runJobs(settings: Settings, world: World): Promise<void> {
  const jobs = listConfiguredJobs(settings);
  const print = plainPrinter(world, {});
  await createHome(settings.home, (facts) => print(warning("home_readable", facts)));
  using locks = new DisposableStack();
  locks.use(lockSchedule(settings.home, "schedule run", world.now()));
  const memory = openMemory(settings.home);
  memory.read();
  checkNotify(settings, world);
  await keepNotify(settings);
  for (const why of listUnrunnable(settings, world)) print(warning("job_misconfigured", { why }));
  for (const { name, rule } of jobs) if (rule.note !== undefined) print(`${name}: ${rule.note}`);
  if (settings.flags.quiet !== true) print(`${jobs.length} jobs; Ctrl-C ends the schedule`);
  const notifyBy: NotifyBy = (by) =>
    newPatientSender(
      () => sendAll(by, memory, world),
      world.now,
      (error) => print(describeUnsent(by, error)),
    );
  try {
    await runSchedule(
      newCurrent(settings, { flags: settings.flags, memory, notifyBy, print, world }),
      world,
    );
  } catch (error) {
    // The notice is remembered under the same lock; on a full disk, for example, nothing can be.
    locks.dispose();
    await notifyUnstarted("schedule", error, settings.flags, world);
    throw error;
  }
}

/** Runs a job for cron or systemd; resolves to its exit code. If it cannot run, sends a notice if possible. */
export async function runForTimer(name: string, flags: GlobalFlags, world: World): Promise<number> {
  try {
    const settings = readSettings(flags, world);
    const job = findJob(listConfiguredJobs(settings), name);
    const print = plainPrinter(world, {});
    await createHome(settings.home, (facts) => print(warning("home_readable", facts)));
    await keepNotify(settings);
    using lock = lockOwnRun(name, settings, world);
    if (lock === undefined) return exitCode.locked;
    const memory = openSharedMemory(settings.home, world);
    let isUnheard = false;
    const notifyAll = (): Promise<void> =>
      sendAll(settings, memory, world).then(
        () => void (isUnheard = false),
        (error: unknown) => {
          isUnheard = true;
          print(describeUnsent(settings, error));
        },
      );
    const code = await runScheduled(job, newRunner(settings, memory, notifyAll, world));
    await notifyAll();
    return isUnheard && code === exitCode.done ? exitCode.partial : code;
  } catch (error) {
    if (!world.signal.aborted) await notifyUnstarted(name, error, flags, world);
    throw error;
  }
}

// A nightly job that hangs is reported by the next run; healthy runs rarely take as long.
const longMs = 12 * 3_600_000;

/**
 * Takes the lock of a job that a timer starts. Undefined if its previous run continues: no job overlaps itself, and the
 * next run reports what was missed. Throws with exit code 5 if that has continued for more than half a day.
 */
export function lockOwnRun(
  name: string,
  { home, flags }: Settings,
  world: World,
): RunLock | undefined {
  const path = getJobLock(home, name);
  try {
    return lockIn(home, path, `schedule run --scheduled ${name}`, world.now());
  } catch (error) {
    const isLocked = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
    const holder = lockState(path);
    const since = holder.state === "held" ? holder.by?.since : undefined;
    const isLong = since !== undefined && world.now() - Date.parse(since) > longMs;
    if (!isLocked || isLong) throw error;
    const began = since === undefined ? "" : ` of ${since}`;
    const line = `${name}: skipped, because its run${began} is still active`;
    if (flags.quiet !== true) plainPrinter(world, {})(line);
    return undefined;
  }
}

/** Sends what waits, by the present configuration. */
type NotifyBy = (settings: Settings) => Runner["notify"];

/** Context of the jobs; `flags` are the flags for reading the configuration. */
type RunContext = {
  readonly flags: GlobalFlags;
  readonly memory: Memory;
  readonly notifyBy: NotifyBy;
  readonly print: Print;
  readonly world: World;
};

/**
 * Returns the jobs and their runner by the present configuration, read again after a change. An unreadable
 * configuration, or one with another home, is reported once, and the previous jobs continue.
 */
export function newCurrent(
  settings: Settings,
  { flags, memory, notifyBy, print, world }: RunContext,
): () => Schedule {
  const newRunnerBy = (by: Settings): Runner => newRunner(by, memory, notifyBy(by), world);
  let seen = readStamp(settings);
  let current = { by: settings, runner: newRunnerBy(settings) };
  return () => {
    const stamp = readStamp(settings);
    if (stamp !== seen) {
      seen = stamp;
      try {
        const by = checkSettings(readSettings(flags, world), settings, world);
        const { length } = listConfiguredJobs(by);
        current = { by, runner: newRunnerBy(by) };
        print(`the configuration changed: now ${length} jobs`);
      } catch (error) {
        print(warning("configuration_unread", { why: getMessage(error) }));
      }
    }
    // Read each time, since files that the configuration names may have changed.
    return { jobs: listConfiguredJobs(current.by), runner: current.runner };
  };
}

function checkSettings(by: Settings, before: Settings, world: World): Settings {
  checkNotify(by, world);
  // Its lock and its memory are those of this home.
  if (by.home.root === before.home.root) return by;
  throw new Error(`its home changed to ${by.home.root}; restart the schedule`);
}

// A missing file is being replaced.
function readStamp({ configFile }: Settings): string {
  if (configFile === undefined) return "";
  const facts = statSync(configFile, { throwIfNoEntry: false, bigint: true });
  return facts === undefined ? "" : `${facts.ino} ${facts.size} ${facts.mtimeNs}`;
}
