import type { Command } from "commander";
import { type PublishFlags, publishToLake } from "../../lake/run.ts";
import type { Outcome } from "../../lake/publish.ts";
import type { Published } from "../../lake/publisher.ts";
import { streamSink } from "../../report/sink.ts";
import { readSettings } from "../../home/settings.ts";
import type { World } from "../../world.ts";
import { plural } from "../../terminal/amounts.ts";
import { isTouched, publishedText } from "./outcome.ts";
import { plainPrinter } from "../../terminal/printer.ts";

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
      const settings = readSettings(command, world);
      const outcome = await publishToLake(settings, flags, world);
      if (flags.dryRun) return streamSink(world.stdout)(planText(outcome));
      const print = plainPrinter(world, settings.flags);
      for (const line of outcome.tables.flatMap(givenText)) print(line);
      print(publishedText(outcome));
    });
}

function givenText({ table, given = [] }: Published): string[] {
  return given.map(
    (day) =>
      `warning: ${day === "" ? table : `${table} of ${day}`} was lost in the lake and holds what the database has; that was put back from an older copy, and may lack some of it`,
  );
}

function planText({ tables }: Outcome): string {
  const lines = tables.filter(isTouched).map((table) => `${table.table}: ${changesText(table)}\n`);
  return lines.join("") || "nothing to put into the lake\n";
}

function changesText({ written, gone }: Published): string {
  const range = written[0] === "" ? "the whole table" : daysText(written);
  return gone.length === 0 ? range : `${range}, gone ${daysText(gone)}`;
}

function daysText(days: readonly string[]): string {
  const [first, last] = [days[0], days.at(-1)];
  const range = days.length > 1 ? `, ${first} to ${last}` : days.length === 1 ? `, ${first}` : "";
  return `${plural(days.length, "day")}${range}`;
}
