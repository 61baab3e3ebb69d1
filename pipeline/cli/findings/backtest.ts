import type { Command } from "commander";
import { backtestColumns, backtestRules } from "../../answers/findings/backtest.ts";
import { chooseRowFormat, type OutputFlags, writeRows } from "../../answers/report/output.ts";
import { UsageError } from "../../base/errors.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import { plainPrinter } from "../../base/notice/printer.ts";
import { listReports, type QueriesFlag, readOwnReport } from "../../base/report/find.ts";
import { textColumn } from "../../base/rows/row.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { parsePeriod } from "../../base/time/times.ts";
import type { World } from "../../base/world.ts";
import { configureDetection, type Detection } from "../../core/detect/detections.ts";
import { refuseUnknown } from "../../core/detect/run.ts";
import { withOutput, withQueries } from "../output-flags.ts";

type BacktestFlags = OutputFlags & QueriesFlag & { readonly during: string };

export function registerBacktest(verb: Command, world: World): void {
  const backtest = verb
    .command("backtest")
    .description("compare a detection with a changed version of it, over the published data")
    .argument("<name>", "name of the detection")
    .option("--during <period>", "a period: last 90 days, 2026-10, last month", "last 90 days");
  withOutput(withQueries(backtest))
    .addHelpText(
      "after",
      "\nThe version in --queries is the new one, even if a built-in detection has the same name. Both are evaluated day by day, like scheduled runs. Hits of the new version that appear only if the complete period is evaluated in one step are 'only in one go': a scheduled run would miss them.\n\nExamples:\n  auditlake findings backtest repeated_denials\n  auditlake findings backtest repeated_denials --queries rules --during 'last 30 days'",
    )
    .action(async (name: string, flags: BacktestFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const during = parsePeriod(flags.during, world.now());
      const rules = readRules(name, flags, settings, world);
      const rows = await backtestRules(rules, during, settings, world);
      const batches = async function* (): AsyncGenerator<typeof rows> {
        yield await Promise.resolve(rows);
      };
      const result = { columns: backtestColumns.map(textColumn), batches: batches() };
      const print = plainPrinter(world, settings.flags);
      await writeRows(result, chooseRowFormat(flags), flags, world, print);
      print(formatCount(rows.length, "row"));
    });
}

// The rule in force, and the one of the folder; without a folder the rule is compared with itself.
function readRules(
  name: string,
  { queries }: QueriesFlag,
  settings: Settings,
  world: World,
): { readonly before?: Detection; readonly after: Detection } {
  const reports = listReports(settings, {}, world).filter((each) => each.detection !== undefined);
  const current = reports.find((each) => each.name === name);
  if (queries === undefined) {
    refuseUnknown([name], reports);
    const detection = configureDetection(current!, settings.config);
    return { before: detection, after: detection };
  }
  const changed = readOwnReport(queries, name);
  if (changed.detection === undefined)
    throw new UsageError(`${changed.file} is not a detection: its header has no line detection:`);
  const after = configureDetection(changed, settings.config);
  return current === undefined
    ? { after }
    : { before: configureDetection(current, settings.config), after };
}
