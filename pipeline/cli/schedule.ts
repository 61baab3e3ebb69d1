import { notify, warning } from "../base/notice/notice.ts";
import { type Command, Option } from "commander";
import { UsageError } from "../base/errors.ts";
import { rowFormats } from "../answers/report/formats.ts";
import { type State, getJobState, withJob } from "../outgoing/schedule/job-state.ts";
import { readSettings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { type OutputFlags, writeRows } from "../answers/report/output.ts";
import { listUnrunnable } from "../outgoing/schedule/unrunnable-jobs.ts";
import { addInstall } from "./schedule/install.ts";
import {
  listConfiguredJobs,
  lockSchedule,
  openMemory,
  findJob,
} from "../outgoing/schedule/jobs.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { smallCount } from "./flag-values.ts";
import { formatSecond } from "../base/time/text.ts";
import { formatLocalTime } from "../base/time/wall.ts";
import { CronError } from "../../schemas/cron.ts";
import { isZone } from "../../schemas/zone.ts";
import { listNextRuns, type Rule, parseRule } from "../outgoing/schedule/rule.ts";
import { notifyFailed, readOrKeptSettings } from "../outgoing/schedule/failed-starts.ts";
import type { Rows } from "../base/rows/row.ts";
import { newTextResult } from "../answers/report/result.ts";
import { quoteWords } from "../base/command-line.ts";
import type { Job } from "../outgoing/schedule/job.ts";
import { getOwn } from "../base/home/get-own.ts";
import { buildCall, runChild } from "../outgoing/schedule/run-child.ts";
import { runForTimer, runJobs } from "../outgoing/schedule/run-jobs.ts";

/** Registers `schedule list`, `next`, `run`, `enable`, `install` and `failed`. */
export function schedule(program: Command, world: World): void {
  const verb = program
    .command("schedule")
    .description("run scheduled jobs, or print a crontab or systemd units for them");
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
    .description("list the jobs with next run and last result")
    .addOption(new Option("--format <format>", "output format").choices(rowFormats))
    .addHelpText("after", "\nExample:\n  auditlake schedule list")
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const rows = listJobRows(
        listConfiguredJobs(settings),
        openMemory(settings.home).read(),
        world.now(),
      );
      const print = plainPrinter(world, settings.flags);
      await writeRows(rows, flags.format ?? "table", {}, world, print);
      for (const why of listUnrunnable(settings, world))
        notify(world, warning("job_misconfigured", { why }));
    });
}

function addNext(verb: Command, world: World): void {
  verb
    .command("next")
    .description("show the next runs of a cron rule: local time and UTC")
    .argument("<expr...>", "five fields in one word (quote them), @daily, @hourly, or none")
    .option("-n, --count <n>", "number of runs", smallCount, 5)
    .option(
      "--timezone <zone>",
      "time zone of the fields (default UTC, or that of the configuration)",
    )
    .addHelpText(
      "after",
      `
Fields: minute 0-59, hour 0-23, day of month 1-31, month 1-12, day of week 0-6
(Sunday is 0); names such as mon and jan; each field a value, *, a range a-b, a
step */n, or a list of values, ranges and steps. If day of month and day of week
conflict, the one that runs more often applies.

Examples:
  auditlake schedule next "15 2 * * *"
  auditlake schedule next "0 9 * * mon-fri" -n 10 --timezone Europe/Oslo`,
    )
    .action((words: string[], flags: { count: number; timezone?: string }, command: Command) => {
      const { config } = readSettings(command.optsWithGlobals(), world);
      const [expr = "", ...more] = words;
      if (more.length > 0)
        throw new UsageError(
          `found ${words.length} arguments; expected one: put the fields in quotes, such as "0 0 1 * 1"`,
        );
      printNext(expr, flags.count, flags.timezone ?? config.schedule.timezone, world);
    });
}

function addEnable(verb: Command, world: World): void {
  verb
    .command("enable")
    .description("enable a disabled job; it runs at its next due time")
    .argument("<job>", "name of the job")
    .addHelpText("after", "\nExample:\n  auditlake schedule enable nightly")
    .action(async (name: string, _flags: unknown, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      findJob(listConfiguredJobs(settings), name);
      using _lock = lockSchedule(settings.home, "schedule enable", world.now());
      await openMemory(settings.home).update((state) => {
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

/** Prints the next runs of a cron text, one a line, in its time zone and in UTC; throws UsageError. */
export function printNext(text: string, count: number, timezone: string, world: World): void {
  if (!isZone(timezone))
    throw new UsageError(
      `--timezone ${JSON.stringify(timezone)} is not a time zone; expected one such as UTC or Europe/Oslo`,
    );
  const rule = readRule(text);
  if (rule.note !== undefined) world.stderr.write(`${rule.note}\n`);
  const runs = listNextRuns(rule, timezone, world.now(), count);
  if (rule.pattern === null) world.stderr.write("no scheduled time\n");
  else if (runs.length === 0) world.stderr.write("never: no matching day\n");
  for (const ms of runs)
    world.stdout.write(`${formatLocalTime(ms, timezone)}\t${formatSecond(ms)}\n`);
}

function readRule(text: string): Rule {
  try {
    return parseRule(text);
  } catch (error) {
    if (error instanceof CronError) throw new UsageError(error.message);
    throw error;
  }
}

function addFailed(verb: Command, world: World): void {
  verb
    .command("failed")
    .description("notify of a failed unit whose run could not notify; for OnFailure= of systemd")
    .argument("<job>", "name of the job")
    .addHelpText(
      "after",
      `
Skips failures that the run itself has reported, and sends queued notifications.

Example:
  auditlake schedule failed nightly`,
    )
    .action(async (name: string, _flags: unknown, command: Command) => {
      const settings = readOrKeptSettings(command.optsWithGlobals(), world);
      if (settings === undefined)
        throw new UsageError(
          "neither the configuration nor its copy in the home can be read; correct the configuration",
        );
      await notifyFailed(name, settings, world);
    });
}

const names = ["job", "state", "next_run", "last_run", "exit_code", "when", "timezone", "does"];

/** One row per job: when, what, the next run and how the last one went. */
function listJobRows(jobs: readonly Job[], all: State, nowMs: number): Rows {
  const rows = jobs.map((job) => {
    const state = getOwn(all.jobs, job.name);
    const isDisabled = getJobState(all, job, nowMs).disabled_ms !== null;
    const next = isDisabled ? undefined : listNextRuns(job.rule, job.timezone, nowMs, 1)[0];
    const last = state?.started_ms ?? undefined;
    return [
      job.name,
      isDisabled ? "disabled" : job.rule.pattern === null ? "by hand" : "scheduled",
      next === undefined ? null : formatSecond(next),
      last === undefined ? null : formatSecond(last),
      state === undefined || state.exit_code === null ? null : String(state.exit_code),
      job.rule.pattern === null ? "none" : job.rule.text,
      job.timezone,
      quoteWords(job.argv),
    ];
  });
  return newTextResult(names, rows);
}

type RunFlags = { readonly once?: string; readonly scheduled?: string };

function addRun(verb: Command, world: World): void {
  verb
    .command("run")
    .description("run the jobs on schedule until Ctrl-C or SIGTERM")
    .option("--once <job>", "run one job now, and end with its exit code")
    .option("--scheduled <job>", "the same for cron and systemd, with record and notifications")
    .addHelpText(
      "after",
      `
Missed runs are made up for by one run. A job that fails repeatedly because of its configuration is
disabled until the configuration, or a file in it, changes. The targets in schedule.notify
receive failures by cause, missed runs, and the recovery of a job. Undelivered
notifications are stored and resent.

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
      const { argv } = findJob(listConfiguredJobs(settings), once);
      return (await runChild(buildCall(settings), argv, world)).code;
    });
}
