import type { Command } from "commander";
import { UsageError } from "../../base/errors.ts";
import { readSettings } from "../../base/home/settings.ts";
import { configuredJobs, namedJob } from "../../work/schedule/jobs.ts";
import { callOf, runChild } from "../../work/schedule/run-child.ts";
import { runForTimer, runJobs } from "../../work/schedule/run-jobs.ts";
import type { World } from "../../base/world.ts";

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
configuration is disabled until that, or a file that it names, has changed.
schedule.notify names who hears of failures by their cause, of runs that did not
take place, and once more when a job is well again; a notice that does not arrive
is kept and sent again.

Examples:
  auditlake schedule run
  auditlake schedule run --once nightly`,
    )
    .action(async ({ once, scheduled }: RunFlags, command: Command) => {
      if (once !== undefined && scheduled !== undefined)
        throw new UsageError("found --once and --scheduled; expected one of them");
      if (scheduled !== undefined) return runForTimer(scheduled, command.optsWithGlobals(), world);
      const settings = readSettings(command.optsWithGlobals(), world);
      if (once === undefined) return runJobs(settings, world);
      const { argv } = namedJob(configuredJobs(settings), once);
      return (await runChild(callOf(settings), argv, world)).code;
    });
}
