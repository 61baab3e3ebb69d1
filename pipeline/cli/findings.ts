import { type Command, Option } from "commander";
import { severities } from "../../schemas/detections.ts";
import { formatFinding, showFinding } from "../answers/findings/show.ts";
import { listedStates } from "../answers/findings/ask.ts";
import { type FindingFlags, writeFindings } from "../answers/findings/list.ts";
import { exitCode, type ExitCode } from "../base/errors.ts";
import { requireHome } from "../base/home/published.ts";
import { readSettings } from "../base/home/settings.ts";
import { listReports } from "../base/report/find.ts";
import type { Severity } from "../base/report/detection.ts";
import { formatJsonDocument } from "../base/printable.ts";
import type { World } from "../base/world.ts";
import { refuseUnknown, runDetections } from "../core/detect/run.ts";
import { withWriter } from "../core/session/write.ts";
import { notifyFindings } from "../outgoing/findings/notify.ts";
import { registerBacktest } from "./findings/backtest.ts";
import { registerDecisions } from "./findings/decide.ts";
import { registerDetections } from "./findings/detections.ts";
import { rowFormats } from "../answers/report/formats.ts";
import { withOutput } from "./output-flags.ts";

export function findings(program: Command, world: World): void {
  const verb = program
    .command("findings")
    .description("list findings, decide on them, and test detections");
  registerList(verb, world);
  registerShow(verb, world);
  registerDecisions(verb, world);
  registerEvaluate(verb, world);
  registerDetections(verb, world);
  registerBacktest(verb, world);
}

type ListFlags = FindingFlags & { readonly failOn?: Severity };

function registerList(verb: Command, world: World): void {
  const list = verb
    .command("list", { isDefault: true })
    .description("list findings, the most severe first")
    .addOption(
      new Option("--state <state>", "state of the findings (default: open)").choices(listedStates),
    )
    .addOption(new Option("--severity <severity>", "at least this severity").choices(severities))
    .option("--since <time>", "findings with a hit at or after this time")
    .option("--subject <name>", "findings about this user, address or other subject")
    .option("--detection <name>", "findings of this detection")
    .addOption(
      new Option(
        "--fail-on <severity>",
        "exit with 3 if one of at least this severity is listed",
      ).choices(severities),
    );
  withOutput(list);
  list.options.find(({ long }) => long === "--format")?.choices([...rowFormats, "ocsf"]);
  list
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake findings\n  auditlake findings --severity high --since 7d\n  auditlake findings show 67e7e0\n  auditlake findings --fail-on high --format csv --out findings.csv",
    )
    .action(async (flags: ListFlags, command: Command): Promise<ExitCode | undefined> => {
      const settings = readSettings(command.optsWithGlobals(), world);
      if (flags.detection !== undefined)
        refuseUnknown(
          [flags.detection],
          listReports(settings, {}, world).filter((each) => each.detection !== undefined),
        );
      const found = await writeFindings(flags, settings, world);
      const least = severities.indexOf(flags.failOn ?? "critical");
      const isFailing = found.some((severity) => severities.indexOf(severity) >= least);
      return flags.failOn !== undefined && isFailing ? exitCode.findings : undefined;
    });
}

function registerShow(verb: Command, world: World): void {
  verb
    .command("show")
    .description("show a finding: what, why, evidence, history and the next command")
    .argument("<id>", "id of the finding, or its first digits")
    .addOption(
      new Option("--format <format>", "output format").choices(["text", "json"]).default("text"),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake findings show 67e7e0\n  auditlake findings show 67e7e0 --format json",
    )
    .action(async (id: string, flags: { readonly format: string }, command: Command) => {
      const shown = await showFinding(id, readSettings(command.optsWithGlobals(), world));
      const text =
        flags.format === "json"
          ? formatJsonDocument(shown)
          : `${formatFinding(shown).join("\n")}\n`;
      world.stdout.write(text);
    });
}

function registerEvaluate(verb: Command, world: World): void {
  verb
    .command("evaluate")
    .description("evaluate detections over the data added since the last evaluation")
    .argument("[name...]", "detections to evaluate (default: all)")
    .addHelpText(
      "after",
      "\nEach ingest and import does the same, unless --no-findings is given.\n\nExamples:\n  auditlake findings evaluate\n  auditlake findings evaluate repeated_denials",
    )
    .action(async (names: string[], _flags: object, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      requireHome(settings.home);
      const failed = await withWriter(
        settings,
        world,
        "findings evaluate",
        ({ database: { connection } }) => runDetections(connection, settings, world, names),
        // What is not named stays for the next run.
        names.length === 0 ? "grown" : "noted",
      );
      const code = await notifyFindings(settings, world);
      // A detection that the caller names and that fails is what the command was for.
      return names.some((name) => failed.includes(name)) ? exitCode.failed : code;
    });
}
