import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../errors.ts";
import { createHome } from "../home.ts";
import { printableLines } from "../printable.ts";
import { rowFormats } from "../report/formats.ts";
import { takeLock } from "../run/lock.ts";
import { crontabOf, systemdOf } from "../schedule/install.ts";
import { runSchedule } from "../schedule/runner.ts";
import { settle, type Settings } from "../settings.ts";
import type { World } from "../world.ts";
import { type OutputFlags, sayTo, writeRows } from "./output.ts";
import { callOf, runChild } from "./schedule/child.ts";
import { configuredJobs, memoryOf, namedJob } from "./schedule/jobs.ts";
import { jobRows } from "./schedule/list.ts";
import { notifierOf } from "./schedule/notify.ts";
import { printNext } from "./schedule/next.ts";

/** Registers `schedule list`, `next`, `run`, `enable` and `install`. */
export function schedule(program: Command, world: World): void {
  const verb = program
    .command("schedule")
    .description("run the jobs of the configuration when they are due, or print what to install");
  addList(verb, world);
  addNext(verb, world);
  addRun(verb, world);
  addEnable(verb, world);
  addInstall(verb, world);
}

function addList(verb: Command, world: World): void {
  verb
    .command("list")
    .description("list the jobs, their next run and how the last one went")
    .addOption(new Option("--format <format>", "form of the output").choices(rowFormats))
    .addHelpText("after", "\nExample:\n  auditlake schedule list")
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = settle(command, world);
      const rows = jobRows(configuredJobs(settings), memoryOf(settings).read(), world.now());
      const say = sayTo(world, settings.flags.quiet === true);
      await writeRows(rows, flags.format ?? "table", {}, world, say);
    });
}

function addNext(verb: Command, world: World): void {
  verb
    .command("next")
    .description("show when a cron text runs next: local time, then UTC")
    .argument("<expr...>", "five fields in one word (quote them), @daily, @hourly, or none")
    .option("-n, --count <n>", "how many runs", count, 5)
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
      const { config } = settle(command, world);
      const [expr = "", ...more] = words;
      if (more.length > 0)
        throw new UsageError(
          `found ${words.length} words; expected the fields in one: put them in quotes, such as "0 0 1 * 1"`,
        );
      printNext(expr, flags.count, flags.timezone ?? config.schedule.timezone, world);
    });
}

function addRun(verb: Command, world: World): void {
  verb
    .command("run")
    .description(
      "stay and run the jobs when they are due, one at a time; Ctrl-C or SIGTERM ends it",
    )
    .option("--once <job>", "run this one now, and end with its exit code")
    .addHelpText(
      "after",
      `
A run that was missed is made up for once. A job that keeps failing over its
configuration is disabled. schedule.notify names a webhook that hears of failures.

Examples:
  auditlake schedule run
  auditlake schedule run --once nightly`,
    )
    .action(async (flags: { once?: string }, command: Command) => {
      const settings = settle(command, world);
      const jobs = configuredJobs(settings);
      if (flags.once === undefined) return stay(settings, world);
      const job = namedJob(jobs, flags.once);
      process.exitCode = await runChild(callOf(settings), job.argv, world);
    });
}

async function stay(settings: Settings, world: World): Promise<void> {
  const jobs = configuredJobs(settings);
  const say = (line: string): void => void world.stderr.write(`${printableLines(line)}\n`);
  createHome(settings.home, say);
  using _lock = takeLock(join(settings.home.root, "schedule.lock"), "schedule run", world.now());
  const memory = memoryOf(settings);
  for (const { name, rule } of jobs) if (rule.note !== undefined) say(`${name}: ${rule.note}`);
  if (settings.flags.quiet !== true) say(`${jobs.length} jobs; Ctrl-C ends the schedule`);
  await runSchedule(jobs, memory.read(), {
    world,
    start: (job) => runChild(callOf(settings), job.argv, world),
    save: memory.save,
    say,
    notify: notifierOf(settings, world, say),
    disableAfter: settings.config.schedule.disable_after,
  });
}

function addEnable(verb: Command, world: World): void {
  verb
    .command("enable")
    .description("enable a job again that was disabled; it runs when it is due next")
    .argument("<job>", "name of the job")
    .addHelpText("after", "\nExample:\n  auditlake schedule enable nightly")
    .action(async (name: string, _flags: unknown, command: Command) => {
      const settings = settle(command, world);
      namedJob(configuredJobs(settings), name);
      using _lock = takeLock(
        join(settings.home.root, "schedule.lock"),
        "schedule enable",
        world.now(),
      );
      const memory = memoryOf(settings);
      const { jobs } = memory.read();
      if (jobs[name]?.disabled_ms == null) throw new UsageError(`job ${name} is not disabled`);
      const enabled = { ...jobs[name], failures: 0, disabled_ms: null, handled_ms: world.now() };
      await memory.save({ jobs: { ...jobs, [name]: enabled } });
      world.stderr.write(`${name}: enabled\n`);
    });
}

function addInstall(verb: Command, world: World): void {
  verb
    .command("install")
    .description("print what to install instead of the runner: a crontab, or systemd units")
    .option("--cron", "lines for crontab -e")
    .option("--systemd", "a service and a timer for each job")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake schedule install --cron\n  auditlake schedule install --systemd",
    )
    .action((flags: { cron?: true; systemd?: true }, command: Command) => {
      if ((flags.cron === true) === (flags.systemd === true))
        throw new UsageError("expected one of --cron and --systemd");
      const settings = settle(command, world);
      const print = flags.cron === true ? crontabOf : systemdOf;
      world.stdout.write(print(configuredJobs(settings), callOf(settings)));
    });
}

function count(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1 to 9999.");
}
