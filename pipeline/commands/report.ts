import { type Command, Option } from "commander";
import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import { namedReports } from "../report/find.ts";
import type { Engine } from "../report/engine.ts";
import { formats, type Format, type RowFormat, rowFormats } from "../report/formats.ts";
import { runJob } from "../report/job.ts";
import { reportRows, reportText } from "../report/listing.ts";
import { describeRange } from "../report/params.ts";
import { type Job, type Plan, planRun, type RunFlags } from "../report/plan.ts";
import { printableLines } from "../printable.ts";
import { streamSink } from "../report/sink.ts";
import { createFolder } from "../report/write.ts";
import { sayOnInterrupt } from "../run/interrupt.ts";
import { openEngine } from "../run/reports/engine.ts";
import { settle, type Settings } from "../settings.ts";
import type { World } from "../world.ts";
import { limitOption, rowLimitOf, rowsText, sayTo, stdoutOptions, writeRows } from "./output.ts";
import { type QueriesFlag, soundReports, withQueries } from "./queries.ts";

/** Registers `report list`, `report show` and `report run`. */
export function report(program: Command, world: World): void {
  const verb = program
    .command("report")
    .description("answer a question with one of the reports, as a table, CSV, JSON and so on");
  addList(verb, world);
  addShow(verb, world);
  addRun(verb, world);
}

function addList(verb: Command, world: World): void {
  withQueries(verb.command("list").description("list the reports"))
    .addOption(formatOption(rowFormats).default("table"))
    .addHelpText("after", examples(["report list", "report list --format json"]))
    .action(async (flags: QueriesFlag & { format: RowFormat }, command: Command) => {
      const settings = settle(command, world);
      const reports = soundReports(settings, flags, world);
      const rows = reportRows(reports, flags.format !== "table");
      const say = sayTo(world, settings.flags.quiet === true);
      await writeRows(rows, flags.format, {}, world, say);
    });
}

function addShow(verb: Command, world: World): void {
  withQueries(verb.command("show").description("show what a report asks, its parameters and SQL"))
    .argument("<name>", "name of the report")
    .addHelpText("after", examples(["report show denials_by_actor"]))
    .action(async (name: string, flags: QueriesFlag, command: Command) => {
      const reports = soundReports(settle(command, world), flags, world);
      for (const found of namedReports(reports, [name]))
        await streamSink(world.stdout)(reportText(found));
    });
}

function addRun(verb: Command, world: World): void {
  withQueries(verb.command("run").description("run reports on the published data"))
    .argument("[names...]", "names of reports")
    .option("--all", "every report; needs --out for other formats than table and markdown")
    .option("--since <time>", "start of the range, included: date, RFC 3339 time, or 7d, 12h")
    .option("--until <time>", "end of the range, not included; also now")
    .option("--param <name=value>", "a parameter of the report; can be repeated", collect, [])
    .addOption(formatOption(formats))
    .option(
      "--out <path>",
      "write to this file; with several reports, one file each in this folder",
    )
    .option(
      "--raw",
      "CSV and TSV: text as it is, also what a spreadsheet would run or a terminal obey",
    )
    .addOption(limitOption())
    .addHelpText(
      "after",
      `
The format is a table, unless --out ends in the extension of another one; files in a folder are CSV.
A table on a terminal shows the first rows and columns and says what it leaves out; files get everything.
${examples([
  "report run denials_by_actor --since 7d",
  "report run denials_by_actor --since 2026-01-01 --until 2026-02-01 --out denials.csv",
  "report run --all --out reports/ --format parquet",
])}`,
    )
    .action(async (names: string[], flags: QueriesFlag & RunFlags, command: Command) => {
      const settings = settle(command, world);
      const plan = planRun(soundReports(settings, flags, world), names, flags, world.now());
      await runPlan(plan, flags, settings, world);
    });
}

function formatOption(choices: readonly Format[]): Option {
  return new Option("--format <format>", "form of the output").choices(choices);
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  auditlake ${line}`).join("\n")}`;
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

async function runPlan(plan: Plan, flags: RunFlags, settings: Settings, world: World) {
  const say = sayTo(world, settings.flags.quiet === true);
  for (const { report: left, missing } of plan.skipped)
    say(
      `${left.name}: skipped, needs --param ${missing.map((name) => `${name}=…`).join(" --param ")}`,
    );
  using _said =
    plan.folder === undefined
      ? undefined
      : sayOnInterrupt(
          world,
          "interrupted: the report that is being written is finished first; once more ends at once",
        );
  if (plan.folder !== undefined) await createFolder(plan.folder);
  const reports = plan.jobs.map((job) => job.report);
  await using engine = await openEngine(reports, settings, world);
  const failed = await runJobs(plan, flags, say, world, engine);
  const newest = engine.dataUpTo();
  if (newest !== undefined) say(`data up to ${newest}`);
  if (failed > 0)
    process.exitCode = failed === plan.jobs.length ? exitCode.failed : exitCode.partial;
}

/**
 * Runs the jobs one after the other; one that fails among several does not stop the rest. An interrupt ends the
 * report under way, but where files are written to a folder that one is finished first.
 */
async function runJobs(
  { jobs, folder }: Plan,
  flags: RunFlags,
  say: (line: string) => void,
  world: World,
  engine: Engine,
): Promise<number> {
  let failed = 0;
  let lastRange = "";
  const signal = folder === undefined ? world.signal : new AbortController().signal;
  for (const [i, job] of jobs.entries()) {
    if (world.signal.aborted)
      throw new AuditlakeError(
        `interrupted: ${i} of ${jobs.length} reports written`,
        exitCode.interrupted,
      );
    const range = describeRange(job.question.values);
    if (range !== "" && range !== lastRange) say(range);
    lastRange = range;
    try {
      await runAndTell(job, jobs.length > 1, flags, say, world, engine, signal);
    } catch (error) {
      if (jobs.length === 1 || signal.aborted) throw error;
      if (!(error instanceof AuditlakeError)) throw error;
      world.stderr.write(`error: ${printableLines(messageOf(error))}\n`);
      failed++;
    }
  }
  return failed;
}

async function runAndTell(
  job: Job,
  isOneOfSeveral: boolean,
  { raw, limit }: RunFlags,
  say: (line: string) => void,
  world: World,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const notes: string[] = [];
  const rows = await runJob(job, {
    engine,
    stdout: streamSink(world.stdout, signal),
    options: { raw, ...stdoutOptions(world, (note) => notes.push(note)) },
    limit: rowLimitOf({ limit, out: job.path }, job.format, world),
    signal,
    titled: isOneOfSeveral,
  });
  const name = isOneOfSeveral || job.path !== undefined ? `${job.report.name}: ` : "";
  for (const note of notes) say((name || "… ") + note);
  say(name + rowsText(rows, limit, job.path));
}
