import type { Command } from "commander";
import { sayOnInterrupt } from "../run/interrupt.ts";
import { chooseSources, settle } from "../settings.ts";
import type { World } from "../world.ts";
import { accept } from "./ingest/accept.ts";
import { backfillRange, printPlan } from "./ingest/plan.ts";
import { ingestEach } from "./ingest/each.ts";

type IngestFlags = {
  readonly from?: string;
  readonly to?: string;
  readonly dryRun?: true;
  readonly confirm?: boolean;
};

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
    .option("--dry-run", "print the windows that would be read and stop")
    .addHelpText(
      "after",
      "\nExamples:\n  auditlake ingest\n  auditlake ingest --source prod --from 30d --confirm\n  auditlake ingest --from 2026-01-01 --to 2026-02-01",
    )
    .action(async (flags: IngestFlags, command: Command) => {
      const settings = settle(command, world);
      const sources = chooseSources(settings, world).map((source) => ({
        ...source,
        confirm: flags.confirm ?? source.confirm,
      }));
      const range = backfillRange(flags, world.now());
      if (flags.dryRun) return printPlan(settings, sources, range, world);
      using _said = sayOnInterrupt(
        world,
        "interrupted: what is being loaded is finished first; once more ends at once",
      );
      await ingestEach(settings, sources, range, world);
    });
  accept(verb, world);
}
