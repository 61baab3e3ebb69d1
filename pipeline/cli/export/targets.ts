import type { Command } from "commander";
import type { NamedTarget } from "../../work/targets/destination.ts";
import { destinationOf } from "../../work/registry.ts";
import { type RowFormat, rowFormats } from "../../answers/report/formats.ts";
import { textResult } from "../../answers/report/result.ts";
import { findTarget, targetCredentials } from "../../work/deliveries/target.ts";
import { UsageError } from "../../base/errors.ts";
import { readSettings, type Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { writeRows } from "../../answers/report/output.ts";
import { Option } from "commander";
import { plainPrinter } from "../../base/terminal/printer.ts";

/** Registers `export targets`. */
export function addTargets(verb: Command, world: World): void {
  verb
    .command("targets")
    .description("list the configured targets, without their credentials")
    .addOption(
      new Option("--format <format>", "form of the output").choices(rowFormats).default("table"),
    )
    .addHelpText("after", "\nExamples:\n  auditlake export targets")
    .action(async ({ format }: { format: RowFormat }, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const names = Object.keys(settings.config.targets).toSorted();
      const rows = names.map((name) => {
        const target = findTarget(settings, name);
        return [
          name,
          target.type,
          destinationOf(target).describe(target),
          credentialsText(target, settings, world),
        ];
      });
      const print = plainPrinter(world, settings.flags);
      if (rows.length === 0) print("no targets: add one under targets in the configuration");
      const result = textResult(["target", "type", "goes_to", "credentials"], rows);
      await writeRows(result, format, {}, world, print);
    });
}

function credentialsText(target: NamedTarget, settings: Settings, world: World): string {
  if (!destinationOf(target).needsCredentials(target)) return "none needed";
  try {
    targetCredentials(target, settings, world);
    return target.authentication ?? "in the configuration";
  } catch (error) {
    if (error instanceof UsageError) return "missing";
    throw error;
  }
}
