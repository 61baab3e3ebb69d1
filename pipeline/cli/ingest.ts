import { fault, notify } from "../base/notice/notice.ts";
import type { Command } from "commander";
import { printOnInterrupt } from "../base/terminal/interrupt.ts";
import { AuditlakeError, exitCode, messageOf } from "../base/errors.ts";
import { lakeOf } from "../adapters/lake/open.ts";
import { chooseSources, readSettings, type Settings } from "../base/home/settings.ts";
import type { World } from "../base/world.ts";
import { accept } from "./ingest/accept.ts";
import { backfillRange, printPlan } from "../core/ingest/due.ts";
import { publishedText } from "./lake/outcome.ts";
import { ingestEach } from "../core/ingest/sources.ts";
import { plainPrinter } from "../base/terminal/printer.ts";

type IngestFlags = {
  readonly from?: string;
  readonly to?: string;
  readonly dryRun?: true;
  readonly lake?: true;
  readonly confirm?: boolean;
};

// What was loaded is safe, whatever becomes of the lake.
async function thenToLake(settings: Settings, world: World): Promise<void> {
  const { publishToLake } = await import("../adapters/lake/run.ts");
  try {
    const outcome = await publishToLake(settings, {}, world);
    plainPrinter(world, settings.flags)(publishedText(outcome));
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    const text = `what was loaded is not in the lake: ${messageOf(error)}`;
    notify(world, fault("text", { text }), exitCode.partial);
  }
}

/** Registers `ingest`. */
export function ingest(program: Command, world: World): void {
  const verb = program
    .command("ingest")
    .description(
      "pull the audit log page by page and load it; without a range, continue from the checkpoint; without --source, of every configured source",
    )
    .option(
      "--from <time>",
      "read from this time on (a backfill: the checkpoint stays); a date, RFC 3339, or 30d",
    )
    .option("--to <time>", "read up to this time (default now)")
    .option(
      "--confirm",
      "read each closed window again until two reads agree, so that it becomes final",
    )
    .option("--no-confirm", "read each window once, whatever the configuration says")
    .option("--lake", "then bring the lake level with it, as lake publish does")
    .option("--dry-run", "print the windows that would be read and stop")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake ingest\n  auditlake ingest --source prod --from 30d --confirm\n  auditlake ingest --from 2026-01-01 --to 2026-02-01",
    )
    .action(async (flags: IngestFlags, command: Command) => {
      const settings = readSettings(command.optsWithGlobals(), world);
      const sources = chooseSources(settings, world).map((source) => ({
        ...source,
        confirm: flags.confirm ?? source.confirm,
      }));
      const range = backfillRange(flags, world.now());
      if (flags.dryRun) return printPlan(settings, sources, range, world);
      using _notice = printOnInterrupt(
        world,
        "interrupted: what is being loaded is finished first; once more ends at once",
      );
      if (flags.lake) lakeOf(settings);
      const code = await ingestEach(settings, sources, range, world);
      if (flags.lake && !world.signal.aborted) await thenToLake(settings, world);
      return code;
    });
  accept(verb, world);
}
