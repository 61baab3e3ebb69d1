import { existsSync } from "node:fs";
import type { Command } from "commander";
import { exitCode, type ExitCode, UsageError } from "../../base/errors.ts";
import { readSettings } from "../../base/home/settings.ts";
import { type QueriesFlag, type Report, listReports } from "../../base/report/find.ts";
import { type Rows, textColumn } from "../../base/rows/row.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { plainPrinter, printer } from "../../base/notice/printer.ts";
import type { World } from "../../base/world.ts";
import { getCasesFile, tryCases } from "../../core/detection-cases/try-cases.ts";
import { chooseDetections } from "../../core/detect/detections.ts";
import { type OutputFlags, chooseRowFormat, writeRows } from "../../answers/report/output.ts";
import { withOutput, withQueries } from "../output-flags.ts";

export function registerDetections(verb: Command, world: World): void {
  registerListing(verb, world);
  registerTest(verb, world);
}

function registerListing(verb: Command, world: World): void {
  const list = verb
    .command("detections")
    .description("list detections with their current severity and limits");
  withOutput(withQueries(list))
    .addHelpText("after", "\nExample:\n  auditlake findings detections")
    .action(async (flags: OutputFlags & QueriesFlag, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const chosen = chooseDetections(listReports(settings, flags, world), settings.config);
      const names = ["detection", "severity", "title", "limits", "attack", "key"];
      const rows = chosen.map(({ name, severity, report, form, parameters }) => [
        name,
        severity,
        report.title,
        Object.entries(parameters)
          .map(([key, { value }]) => `${key}=${value ?? ""}`)
          .join(", "),
        form.attack.join(", "),
        form.key.join(", "),
      ]);
      const columns = names.map(textColumn);
      const readBatches = async function* (): AsyncGenerator<typeof rows> {
        yield await Promise.resolve(rows);
      };
      const all: Rows = { columns, batches: readBatches() };
      await writeRows(
        all,
        chooseRowFormat(flags),
        flags,
        world,
        plainPrinter(world, settings.flags),
      );
    });
}

function registerTest(verb: Command, world: World): void {
  const test = verb
    .command("test")
    .description("run the test cases beside detections (NAME.test.json)")
    .argument("[name...]", "detections to test (default: all that have cases)");
  withQueries(test)
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake findings test repeated_denials\n  auditlake findings test --queries rules",
    )
    .action(
      async (
        names: string[],
        flags: QueriesFlag,
        command: Command,
      ): Promise<ExitCode | undefined> => {
        const settings = readSettings(command.optsWithGlobals(), world);
        const reports = chooseTested(listReports(settings, flags, world), names);
        let failed = 0;
        let passed = 0;
        for (const report of reports)
          for (const { detection, title, isPassed, expected, found } of await tryCases(
            report,
            getCasesFile(report),
            world,
          )) {
            world.stdout.write(`${isPassed ? "ok  " : "FAIL"}  ${detection}: ${title}\n`);
            if (isPassed) passed += 1;
            else {
              failed += 1;
              world.stdout.write(
                `      expected ${formatKeys(expected)}\n      found    ${formatKeys(found)}\n`,
              );
            }
          }
        printer(world)(`${formatCount(passed, "case")} passed, ${failed} failed`);
        return failed === 0 ? undefined : exitCode.findings;
      },
    );
}

function formatKeys(keys: readonly string[]): string {
  return keys.length === 0 ? "nothing" : keys.join("; ");
}

function chooseTested(reports: readonly Report[], names: readonly string[]): Report[] {
  const detections = reports.filter(({ detection }) => detection !== undefined);
  const missing = names.find((name) => !detections.some((each) => each.name === name));
  if (missing !== undefined)
    throw new UsageError(
      `no detection is called ${JSON.stringify(missing)}; auditlake findings detections lists all`,
    );
  if (names.length > 0) return detections.filter(({ name }) => names.includes(name));
  return detections.filter((report) => existsSync(getCasesFile(report)));
}
