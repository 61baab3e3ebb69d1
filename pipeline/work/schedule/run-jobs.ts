import { exitCode } from "../../base/errors.ts";
import { createHome } from "../../base/home/layout.ts";
import { readSettings, type GlobalFlags, type Settings } from "../../base/home/settings.ts";
import { patiently } from "./outbox.ts";
import { runSchedule } from "./run-loop.ts";
import { runScheduled } from "./scheduled.ts";
import { linesPrinter } from "../../base/terminal/printer.ts";
import type { World } from "../../base/world.ts";
import { newCurrent, type NotifyBy } from "./current.ts";
import { configuredJobs, lockSchedule, memoryOf, namedJob, sharedMemoryOf } from "./jobs.ts";
import { keepNotify } from "./kept-notify.ts";
import { lockOwnRun } from "./own-run.ts";
import { checkNotify, unheard } from "./notify.ts";
import { runnerOf, sendAll } from "./runner.ts";
import { unaskable } from "./unaskable.ts";
import { notifyUnstarted } from "./unstarted.ts";

/** Stays and runs the jobs when they are due, until somebody interrupts. */
export async function runJobs(settings: Settings, world: World): Promise<void> {
  const jobs = configuredJobs(settings);
  const print = linesPrinter(world);
  await createHome(settings.home, print);
  using locks = new DisposableStack();
  locks.use(lockSchedule(settings.home, "schedule run", world.now()));
  const memory = memoryOf(settings.home);
  memory.read();
  checkNotify(settings, world);
  await keepNotify(settings);
  for (const line of unaskable(settings, world)) print(`warning: ${line}`);
  for (const { name, rule } of jobs) if (rule.note !== undefined) print(`${name}: ${rule.note}`);
  if (settings.flags.quiet !== true) print(`${jobs.length} jobs; Ctrl-C ends the schedule`);
  const notifyBy: NotifyBy = (by) =>
    patiently(
      () => sendAll(by, memory, world),
      world.now,
      (error) => print(unheard(by, error)),
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

/**
 * Runs a job that cron or systemd has called; resolves to its exit code. Whatever keeps it from running goes into a notice, as
 * far as one can be sent.
 */
export async function runForTimer(name: string, flags: GlobalFlags, world: World): Promise<number> {
  try {
    const settings = readSettings(flags, world);
    const job = namedJob(configuredJobs(settings), name);
    const print = linesPrinter(world);
    await createHome(settings.home, print);
    await keepNotify(settings);
    using lock = lockOwnRun(name, settings, world);
    if (lock === undefined) return exitCode.locked;
    const memory = sharedMemoryOf(settings.home, world);
    let isUnheard = false;
    const notify = (): Promise<void> =>
      sendAll(settings, memory, world).then(
        () => void (isUnheard = false),
        (error: unknown) => {
          isUnheard = true;
          print(unheard(settings, error));
        },
      );
    const code = await runScheduled(job, runnerOf(settings, memory, notify, world));
    await notify();
    return isUnheard && code === exitCode.done ? exitCode.partial : code;
  } catch (error) {
    if (!world.signal.aborted) await notifyUnstarted(name, error, flags, world);
    throw error;
  }
}
