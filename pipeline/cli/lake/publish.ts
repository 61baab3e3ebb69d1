import type { Command } from "commander";
import { type PublishFlags, publishToLake } from "../../adapters/lake/run.ts";
import { streamSink } from "../../answers/report/result.ts";
import { readSettings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { planText, publishedText } from "./outcome.ts";
import { plainPrinter } from "../../base/terminal/printer.ts";

const notes = `
What is published is what readers have (audit.duckdb). A day whose rows differ from those in the lake is
replaced whole; days that look as they did are left alone, but with --full. What prune took out of the
database stays in the lake. A run that was killed leaves readers of the lake what they had; run it again.
A database that does not know the newest publication, as after an older copy was restored, is refused; --full
makes the lake level with it, and prints first which events and runs the lake loses.

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
      const print = plainPrinter(world, settings.flags);
      const outcome = await publishToLake(settings, flags, world, { warn: print });
      if (flags.dryRun) return streamSink(world.stdout)(planText(outcome));
      print(publishedText(outcome));
    });
}
