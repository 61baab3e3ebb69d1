import type { Command } from "commander";
import { exitCode } from "../errors.ts";
import { clientOf } from "../run/client.ts";
import { sayOnInterrupt } from "../run/interrupt.ts";
import { withWriter } from "../run/writer.ts";
import { chooseSource, settle, type NamedSource, type Settings } from "../settings.ts";
import type { Window } from "../source/audits.ts";
import type { World } from "../world.ts";
import { accept } from "./ingest/accept.ts";
import { ingestWindows, type Ingested } from "./ingest/night.ts";
import { backfillRange, printPlan } from "./ingest/plan.ts";
import { printSummary } from "./ingest/print.ts";

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
      "pull the audit log page by page and load it; without a range, continue from the checkpoint",
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
      "\nExamples:\n  auditlake ingest\n  auditlake ingest --from 30d --confirm\n  auditlake ingest --from 2026-01-01 --to 2026-02-01",
    )
    .action(async (flags: IngestFlags, command: Command) => {
      const settings = settle(command, world);
      const chosen = chooseSource(settings, world);
      const source = { ...chosen, confirm: flags.confirm ?? chosen.confirm };
      const range = backfillRange(flags, world.now());
      if (flags.dryRun) return printPlan(settings, source, range, world);
      await runIngest(settings, source, range, world);
    });
  accept(verb, world);
}

async function runIngest(
  settings: Settings,
  source: NamedSource,
  backfill: Window | undefined,
  world: World,
): Promise<void> {
  const client = clientOf(settings, source, world);
  const startMs = world.now();
  const isQuiet = settings.flags.quiet === true;
  using _said = sayOnInterrupt(
    world,
    "interrupted: what is being loaded is finished first; once more ends at once",
  );
  try {
    await withWriter(settings, world, "ingest", async (writer) => {
      const ingested = await ingestWindows(settings, source, backfill, writer, client, world);
      printSummary(ingested, source, isQuiet, (world.now() - startMs) / 1000, world);
      process.exitCode = world.signal.aborted ? exitCode.interrupted : codeOf(ingested);
    });
  } finally {
    await client[Symbol.asyncDispose]();
  }
}

function codeOf({ outcome, resumed, usersError, gaps }: Ingested): number | undefined {
  if (outcome.run.outcome === "failed") return exitCode.failed;
  const hasLeft = resumed.failures.length > 0 || gaps.length > 0;
  const isPartial = outcome.run.outcome === "partial" || hasLeft;
  return isPartial || usersError !== undefined ? exitCode.partial : undefined;
}
