import { type Command, Option } from "commander";
import { UsageError } from "../base/errors.ts";
import { rowFormats } from "../answers/report/formats.ts";
import { withJob } from "../work/schedule/job-state.ts";
import { readSettings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { type OutputFlags, writeRows } from "../answers/report/output.ts";
import { unaskable } from "../work/schedule/unaskable.ts";
import { addFailed } from "./schedule/failed.ts";
import { addInstall } from "./schedule/install.ts";
import { configuredJobs, lockSchedule, memoryOf, namedJob } from "../work/schedule/jobs.ts";
import { jobRows } from "./schedule/list.ts";
import { printNext } from "../work/schedule/next.ts";
import { addRun } from "./schedule/run.ts";
import { plainPrinter } from "../base/terminal/printer.ts";
import { smallCount } from "./flag-values.ts";

/** Registers `schedule list`, `next`, `run`, `enable`, `install` and `failed`. */
export function schedule(program: Command, world: World): void {
  const verb = program
    .command("schedule")
    .description("run the jobs of the configuration when they are due, or print what to install");
  addList(verb, world);
  addNext(verb, world);
  addRun(verb, world);
  addEnable(verb, world);
  addInstall(verb, world);
  addFailed(verb, world);
}

function addList(verb: Command, world: World): void {
  verb
    .command("list")
    .description("list the jobs, their next run and how the last one went")
    .addOption(new Option("--format <format>", "form of the output").choices(rowFormats))
    .addHelpText("after", "\nExample:\n  auditlake schedule list")
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const rows = jobRows(configuredJobs(settings), memoryOf(settings.home).read(), world.now());
      const print = plainPrinter(world, settings.flags);
      await writeRows(rows, flags.format ?? "table", {}, world, print);
      for (const line of unaskable(settings, world)) plainPrinter(world, {})(`warning: ${line}`);
    });
}

function addNext(verb: Command, world: World): void {
  verb
    .command("next")
    .description("show when a cron text runs next: local time, then UTC")
    .argument("<expr...>", "five fields in one word (quote them), @daily, @hourly, or none")
    .option("-n, --count <n>", "how many runs", smallCount, 5)
    .option(
      "--timezone <zone>",
      "time zone of the fields (default UTC, or that of the configuration)",
    )
    .addHelpText(
      "after",
      `
Fields: minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-6
(Sunday is 0); names such as mon and jan; each field a value, *, a range a-b, a
step */n, or a list of values, ranges and steps. Where day of month and day of
week conflict, the one that runs more often is followed.

Examples:
  auditlake schedule next "15 2 * * *"
  auditlake schedule next "0 9 * * mon-fri" -n 10 --timezone Europe/Oslo`,
    )
    .action((words: string[], flags: { count: number; timezone?: string }, command: Command) => {
      const { config } = readSettings(command.optsWithGlobals(), world);
      const [expr = "", ...more] = words;
      if (more.length > 0)
        throw new UsageError(
          `found ${words.length} words; expected the fields in one: put them in quotes, such as "0 0 1 * 1"`,
        );
      printNext(expr, flags.count, flags.timezone ?? config.schedule.timezone, world);
    });
}

function addEnable(verb: Command, world: World): void {
  verb
    .command("enable")
    .description("enable a job again that was disabled; it runs when it is due next")
    .argument("<job>", "name of the job")
    .addHelpText("after", "\nExample:\n  auditlake schedule enable nightly")
    .action(async (name: string, _flags: unknown, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      namedJob(configuredJobs(settings), name);
      using _lock = lockSchedule(settings.home, "schedule enable", world.now());
      await memoryOf(settings.home).update((state) => {
        const job = state.jobs[name];
        if (job?.disabled_ms == null) throw new UsageError(`job ${name} is not disabled`);
        return withJob(state, name, {
          ...job,
          failures: 0,
          disabled_ms: null,
          handled_ms: world.now(),
        });
      });
      world.stderr.write(`${name}: enabled\n`);
    });
}
