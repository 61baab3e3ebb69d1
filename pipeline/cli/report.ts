import { formatCommand } from "../base/command-line.ts";
import { type Command, Option } from "commander";
import { UsageError } from "../base/errors.ts";
import { findClosestNames } from "../base/closest-names.ts";
import { engineNames } from "../../schemas/engines.ts";
import {
  selectReports,
  type QueriesFlag,
  listReports,
  listSoundReports,
} from "../base/report/find.ts";
import { formats, type Format, type RowFormat, rowFormats } from "../answers/report/formats.ts";
import { reportRows, reportText } from "../answers/report/listing.ts";
import { planRun, type RunFlags } from "../answers/ask/plan-run.ts";
import { newStreamSink } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { writeRows } from "../answers/report/output.ts";
import { runPlan } from "./report/run.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { newParamOption } from "./flag-values.ts";
import { limitOption, withQueries, withTextOptions } from "./output-flags.ts";

/** Registers `report list`, `report show` and `report run`. */
export function report(program: Command, world: World): void {
  const verb = program
    .command("report")
    .description("list and run reports, as table, CSV, JSON, chart or Parquet");
  addList(verb, world);
  addShow(verb, world);
  addRun(verb, world);
  addHint(verb, world);
}

// A report name in place of the verb, or a misspelled verb, most likely means `run`.
function addHint(verb: Command, world: World): void {
  verb.argument("[name]").usage("[options] [command]").helpCommand(true);
  verb.allowExcessArguments().allowUnknownOption();
  verb.action((name: string | undefined, _flags: unknown, command: Command) => {
    if (name === undefined) command.help({ error: true });
    const reports = listReports(readSettings(command.optsWithGlobals(), world), {}, world);
    const known = command.args.find((given) => reports.some((report) => report.name === given));
    const near = findClosestNames(name, ["list", "show", "run"])[0] ?? "list";
    const hint = known === undefined ? [near] : [near === "show" ? near : "run", known];
    throw new UsageError(
      `report ${JSON.stringify(name)}: expected list, show or run; did you mean ${formatCommand("report", ...hint)}?`,
    );
  });
}

function addList(verb: Command, world: World): void {
  withQueries(verb.command("list").description("list the reports"))
    .addOption(formatOption(rowFormats).default("table"))
    .addHelpText("after", formatExamples(["report list", "report list --format json"]))
    .action(async (flags: QueriesFlag & { format: RowFormat }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const reports = listSoundReports(settings, flags, world);
      const rows = reportRows(reports, flags.format !== "table");
      const print = plainPrinter(world, settings.flags);
      await writeRows(rows, flags.format, {}, world, print);
    });
}

function addShow(verb: Command, world: World): void {
  withQueries(verb.command("show").description("show the question, parameters and SQL of a report"))
    .argument("<name>", "name of the report")
    .addHelpText("after", formatExamples(["report show denials_by_actor"]))
    .action(async (name: string, flags: QueriesFlag, command: Command) => {
      const reports = listReports(readSettings(command.optsWithGlobals(), world), flags, world);
      for (const found of selectReports(reports, [name]))
        await newStreamSink(world.stdout)(reportText(found));
    });
}

function addRun(verb: Command, world: World): void {
  const run = withQueries(verb.command("run").description("run reports on the published data"))
    .argument("[names...]", "names of reports")
    .option("--all", "every report; formats other than table and markdown need --out")
    .option("--since <time>", "start of the range, inclusive: date, RFC 3339 time, or 7d, 12h")
    .option("--until <time>", "end of the range, exclusive; also now")
    .option("--during <period>", "a period: yesterday, 2026-10, monday, last month and so on")
    .option(
      "--timezone <zone>",
      "time zone for hours and weekends; the configuration lists the zones and the default",
    )
    .addOption(newParamOption())
    .addOption(formatOption(formats))
    .option("--chart", "print the chart of the report as text instead of its rows")
    .option(
      "--out <path>",
      "write to this file, - is standard output; with several reports, to this folder",
    )
    .option(
      "--dated",
      "several reports: write to a subfolder of --out with the date of today (UTC)",
    )
    .option(
      "--meta",
      "also write FILE.meta.json per file: report, parameters, rows, end of the data",
    )
    .option("--fail-on-rows", "end with exit code 3 if a report has rows")
    .option("--summary <file>", "with --fail-on-rows: write the first rows as JSON")
    .addOption(
      new Option(
        "--engine <name>",
        "run on this engine, over the newest publication of the lake",
      ).choices(engineNames),
    )
    .addOption(limitOption());
  withTextOptions(run)
    .addHelpText(
      "after",
      `
The format is a table, unless --out ends in the extension of another one; files in a folder are CSV.
A table on a terminal shows the first rows and columns and reports what it omits; files and pipes get
everything. --format lines is for rows too wide for a table: one line per cell that is not null.
${formatExamples([
  "report run denials_by_actor --since 7d",
  "report run denials_by_actor --since 2026-01-01 --until 2026-02-01 --out denials.csv",
  "report run denials_by_day --since 70d --chart",
  "report run self_grants --since yesterday --fail-on-rows",
  "report run --all --during 'last month' --out reports/ --dated --meta",
])}`,
    )
    .action(async (names: string[], flags: QueriesFlag & RunFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      // A broken file matters for all reports, but not for named ones.
      const found = (flags.all ? listSoundReports : listReports)(settings, flags, world);
      const plan = planRun(found, names, flags, world.now());
      return await runPlan(plan, flags, settings, world);
    });
}

function formatOption(choices: readonly Format[]): Option {
  return new Option("--format <format>", "output format").choices(choices);
}

function formatExamples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  auditlake ${line}`).join("\n")}`;
}
