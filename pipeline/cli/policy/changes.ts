import type { Command } from "commander";
import { readSettings } from "../../base/home/settings.ts";
import { sentChanges } from "../../answers/access/sent-changes.ts";
import { rowFormatOf, writeRows, type OutputFlags } from "../../answers/report/output.ts";
import { textResult } from "../../answers/report/result.ts";
import { plural } from "../../base/terminal/amounts.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";
import type { World } from "../../base/world.ts";
import { withOutput } from "../output-flags.ts";

/** Registers `policy changes`. */
export function addChanges(verb: Command, world: World): void {
  withOutput(
    verb
      .command("changes")
      .description(
        "the sets that were sent from here: who, why, what came of it, proven by which event",
      ),
  )
    .addHelpText(
      "after",
      "\nconfirmed_by is the event of the log that shows the set as it was sent; it is empty\nuntil the log of that time has been ingested.\n\nExamples:\n  auditlake policy changes\n  auditlake policy changes --format csv",
    )
    .action(async (flags: OutputFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const format = rowFormatOf(flags);
      const { columns, rows } = await sentChanges(settings);
      const print = plainPrinter(world, settings.flags);
      await writeRows(textResult(columns, rows), format, flags, world, print);
      print(plural(rows.length, "change"));
    });
}
