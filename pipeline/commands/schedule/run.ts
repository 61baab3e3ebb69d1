import type { Command } from "commander";
import { UsageError } from "../../errors.ts";
import { createHome } from "../../home/layout.ts";
import { patiently } from "../../schedule/outbox.ts";
import { runSchedule } from "../../schedule/runner.ts";
import { runScheduled } from "../../schedule/scheduled.ts";
import { readSettings, type Settings } from "../../home/settings.ts";
import type { World } from "../../world.ts";
import { unaskable } from "../../jobs/unaskable.ts";
import { callOf, runChild } from "../../jobs/run-child.ts";
import { newCurrent, type NotifyBy } from "../../jobs/current.ts";
import {
  configuredJobs,
  jobLock,
  lockIn,
  lockSchedule,
  memoryOf,
  namedJob,
  sharedMemoryOf,
} from "../../jobs/jobs.ts";
import { keepNotify } from "../../jobs/kept-notify.ts";
import { checkNotify, unheard } from "../../jobs/notify.ts";
import { runnerOf, sendAll } from "../../jobs/runner.ts";
import { notifyUnstarted } from "../../jobs/unstarted.ts";
import { linesPrinter } from "../../terminal/printer.ts";

type RunFlags = { readonly once?: string; readonly scheduled?: string };

/** Registers `schedule run`. */
export function addRun(verb: Command, world: World): void {
  verb
    .command("run")
    .description("stay and run the jobs when they are due; Ctrl-C or SIGTERM ends it")
    .option("--once <job>", "run this one now by hand, and end with its exit code")
    .option("--scheduled <job>", "the same for cron and systemd: it is remembered, and told of")
    .addHelpText(
      "after",
      `
A run that was missed is made up for once. A job that keeps failing over its
configuration is disabled. schedule.notify names who hears of failures by their
cause, of runs that did not take place, and once more when a job is well again; a
notice that does not arrive is kept and sent again.

Examples:
  auditlake schedule run
  auditlake schedule run --once nightly`,
    )
    .action(async ({ once, scheduled }: RunFlags, command: Command) => {
      if (once !== undefined && scheduled !== undefined)
        throw new UsageError("found --once and --scheduled; expected one of them");
      if (scheduled !== undefined) return runForTimer(scheduled, command, world);
      const settings = readSettings(command, world);
      if (once === undefined) return stay(settings, command, world);
      const { argv } = namedJob(configuredJobs(settings), once);
      process.exitCode = (await runChild(callOf(settings), argv, world)).code;
    });
}

async function stay(settings: Settings, command: Command, world: World): Promise<void> {
  const jobs = configuredJobs(settings);
  const print = linesPrinter(world);
  await createHome(settings.home, print);
  using _lock = lockSchedule(settings.home, "schedule run", world.now());
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
    await runSchedule(newCurrent(settings, { command, memory, notifyBy, print, world }), world);
  } catch (error) {
    // On a full disk, for example, the schedule cannot remember anything.
    await notifyUnstarted("schedule", error, command, world);
    throw error;
  }
}

// Called by cron or systemd: whatever keeps the job from running goes into a notice, as far as one can be sent.
async function runForTimer(name: string, command: Command, world: World): Promise<void> {
  try {
    const settings = readSettings(command, world);
    const job = namedJob(configuredJobs(settings), name);
    const print = linesPrinter(world);
    await createHome(settings.home, print);
    await keepNotify(settings);
    const self = `schedule run --scheduled ${name}`;
    using _lock = lockIn(settings.home, jobLock(settings.home, name), self, world.now());
    const memory = sharedMemoryOf(settings.home, world);
    const notify = (): Promise<void> =>
      sendAll(settings, memory, world).catch((error: unknown) => print(unheard(settings, error)));
    process.exitCode = await runScheduled(job, runnerOf(settings, memory, notify, world));
    await notify();
  } catch (error) {
    if (!world.signal.aborted) await notifyUnstarted(name, error, command, world);
    throw error;
  }
}
