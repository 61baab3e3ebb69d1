import { type Command, Option } from "commander";
import { namedReports } from "../report/find.ts";
import { formats, type Format, type RowFormat, rowFormats } from "../report/formats.ts";
import { reportRows, reportText } from "../report/listing.ts";
import { planRun, type RunFlags } from "../report/plan.ts";
import { streamSink } from "../report/sink.ts";
import { settle } from "../settings.ts";
import type { World } from "../world.ts";
import { limitOption, sayTo, writeRows } from "./output.ts";
import { type QueriesFlag, soundReports, withQueries } from "./queries.ts";
import { runPlan } from "./report/run.ts";

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
