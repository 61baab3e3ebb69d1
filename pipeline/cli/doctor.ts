import { formatJsonDocument } from "../base/printable.ts";
import type { Command } from "commander";
import { exitCode } from "../base/errors.ts";
import { newStreamSink } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import { countTerminalColumns, type World } from "../base/world.ts";
import { chooseExitCode, type Finding, formatFinding } from "./doctor/finding.ts";
import { examine, type ExamineFlags } from "./doctor/examine.ts";
import { withQueries } from "./output-flags.ts";

type Flags = ExamineFlags & { readonly json?: true };

const notes = `
Prints one line per check: ok, warn (works, but needs attention) or fail, with what to do. Exit code 0 if
nothing fails, 2 for the configuration, 4 for a refused key, otherwise 1. doctor is read-only.

Examples:
  auditlake doctor
  auditlake doctor --source prod --json`;

/** Registers `doctor`: is everything in place for the next run? */
export function doctor(program: Command, world: World): void {
  withQueries(
    program
      .command("doctor")
      .description("check configuration, connectivity and data, and print what to do"),
  )
    .option(
      "--deep",
      "read every raw page and every database block, and check each manifest against the ledger",
    )
    .option("--no-reports", "skip compiling every report, which takes most of the time")
    .option("--json", "print one JSON object")
    .addHelpText("after", notes)
    .action(async (flags: Flags, command: Command) => {
      const sink = newStreamSink(world.stdout, world.signal);
      const findings: Finding[] = [];
      for await (const finding of examine(
        flags,
        () => readSettings(command.optsWithGlobals(), world),
        world,
      )) {
        world.signal.throwIfAborted();
        findings.push(finding);
        if (!flags.json) await sink(formatFinding(finding, countTerminalColumns(world)));
      }
      const code = chooseExitCode(findings);
      if (flags.json) await sink(formatJson(findings, code === exitCode.done));
      return code;
    });
}

function formatJson(findings: readonly Finding[], healthy: boolean): string {
  const checks = findings.map(({ level, check, text }) => ({ level, check, text }));
  return formatJsonDocument({ healthy, checks });
}
