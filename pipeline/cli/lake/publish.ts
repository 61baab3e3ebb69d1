import type { Command } from "commander";
import { type PublishFlags, publishToLake } from "../../adapters/lake/run.ts";
import { streamSink } from "../../answers/report/result.ts";
import { readSettings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { givenText, planText, publishedText } from "./outcome.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";

const notes = `
What is published is what readers have (audit.duckdb). A day whose rows differ from those in the lake is
replaced whole; days that look as they did are left alone, but with --full. What prune took out of the
database stays in the lake. A run that was killed leaves readers of the lake what they had; run it again.

Examples:
  auditlake lake publish
  auditlake lake publish --dry-run
  auditlake lake publish --full`;

/** Registers `lake publish`. */
export function publish(lake: Command, world: World): void {
  lake
    .command("publish")
    .description("bring the tables of the lake level with the published data")
    .option(
      "--full",
      "compare the rows of every day and look at every file: what is lost or damaged is written anew",
    )
    .option("--dry-run", "print what would be put there and stop")
    .addHelpText("after", notes)
    .action(async (flags: PublishFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const outcome = await publishToLake(settings, flags, world);
      if (flags.dryRun) return streamSink(world.stdout)(planText(outcome));
      const print = plainPrinter(world, settings.flags);
      for (const line of outcome.tables.flatMap(givenText)) print(line);
      print(publishedText(outcome));
    });
}
