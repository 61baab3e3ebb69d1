import { commandText } from "../base/command-line.ts";
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { textResult } from "../answers/report/result.ts";
import { readSettings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { shownConfig } from "./config/shown.ts";
import { type OutputFlags, rowFormatOf, writeRows } from "../answers/report/output.ts";
import { plainPrinter } from "../base/terminal/printer.ts";
import { withOutput } from "./output-flags.ts";

/** Registers `config show`. */
export function config(program: Command, world: World): void {
  const verb = program.command("config").description("what is configured, and where it comes from");
  withOutput(
    verb
      .command("show")
      .description("every value in force and where it comes from; secrets are not shown"),
  )
    .addHelpText(
      "after",
      "\nDurations and sizes are in milliseconds and bytes.\n\nExamples:\n  auditlake config show\n  auditlake config show --format json",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const { configFile } = settings;
      // The file was read and checked a moment ago, so it can be parsed.
      const text = configFile === undefined ? "{}" : readFileSync(configFile, "utf8");
      const given: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
      const rows = shownConfig(settings, given, world).map(({ key, value, from }) => [
        key,
        value,
        from,
      ]);
      const print = plainPrinter(world, settings.flags);
      if (configFile === undefined)
        print(`no configuration file: ${commandText("init")} writes one`);
      const result = textResult(["key", "value", "comes_from"], rows);
      await writeRows(result, rowFormatOf(flags), flags, world, print);
    });
}
