import { fault, notify } from "../base/notice/notice.ts";
import type { Command } from "commander";
import { printOnInterrupt } from "../base/terminal/confirm.ts";
import { AuditlakeError, exitCode, getMessage, UsageError } from "../base/errors.ts";
import { getLake } from "../adapters/lake/open.ts";
import { chooseSource, chooseSources, readSettings, type Settings } from "../base/home/settings.ts";
import { notifyFindings } from "../outgoing/findings/notify.ts";
import type { World } from "../base/world.ts";
import { backfillRange, printPlan } from "../core/ingest/plan.ts";
import { formatPublished } from "./lake/outcome.ts";
import { ingestEach } from "../core/ingest/sources.ts";
import { plainPrinter } from "../base/notice/printer.ts";
import { acceptWindows } from "../core/ingest/accept.ts";
import { requireHome } from "../base/home/published.ts";
import { parseMoment } from "../base/time/times.ts";
import { formatSecond } from "../base/time/text.ts";
import type { Interval } from "../base/time/periods.ts";

type IngestFlags = {
  readonly from?: string;
  readonly to?: string;
  readonly dryRun?: true;
  readonly lake?: true;
  readonly confirm?: boolean;
};

// The loaded data is safe, regardless of the lake.
async function publishAfterwards(settings: Settings, world: World): Promise<void> {
  const { publishToLake } = await import("../adapters/lake/run.ts");
  try {
    const outcome = await publishToLake(settings, {}, world);
    plainPrinter(world, settings.flags)(formatPublished(outcome));
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    const why = getMessage(error);
    notify(world, fault("lake_unpublished", { why }), exitCode.partial);
  }
}

/** Registers `ingest`. */
export function ingest(program: Command, world: World): void {
  const verb = program
    .command("ingest")
    .description(
      "pull the audit log of every source and load it; without a range, continue from the checkpoint",
    )
    .option("--from <time>", "start of a backfill (the checkpoint stays); a date, RFC 3339, or 30d")
    .option("--to <time>", "end of a backfill (default now)")
    .option("--confirm", "read each closed window until two reads agree and it becomes final")
    .option("--no-confirm", "read each window once, regardless of the configuration")
    .option("--lake", "then publish to the lake, like lake publish")
    .option("--dry-run", "print the windows that would be read and stop")
    .option("--no-findings", "leave the evaluation of detections to the next run")
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
        "interrupted: finishing the current load first; interrupt again to stop immediately",
      );
      if (flags.lake) getLake(settings);
      const code = await ingestEach(settings, sources, range, world);
      const sending = await notifyFindings(settings, world);
      if (flags.lake && !world.signal.aborted) await publishAfterwards(settings, world);
      return code ?? sending;
    });
  accept(verb, world);
}

type Flags = { readonly from?: string; readonly to?: string; readonly reason?: string };

const longestReason = 1000;

/** Registers `ingest accept`: a person confirms windows for which the service gives no evidence. */
function accept(ingest: Command, world: World): void {
  ingest
    .command("accept")
    .description("accept closed windows or gaps of a range as final")
    .option("--from <time>", "start of the range; a date, RFC 3339, or 30d")
    .option("--to <time>", "end of the range")
    .option("--reason <text>", "the reason, stored in the ledger")
    .addHelpText(
      "after",
      "\nAccepted windows have the state accepted, not finalized. A later read with more events reopens them.\n\nExample:\n  auditlake ingest accept --from 2026-01-01 --to 2026-01-03 --reason 'checked against the export of the service'",
    )
    .action(async (_flags: Flags, command: Command) => {
      // The verb above has --from and --to, too, and takes them in any position.
      const { from, to, reason } = command.optsWithGlobals<Flags>();
      if (from === undefined || to === undefined || reason === undefined)
        throw new UsageError(
          "ingest accept needs --from, --to and --reason: the accepted range, and the reason",
        );
      const settings = readSettings(command.optsWithGlobals(), world);
      const source = chooseSource(settings, world);
      const nowMs = world.now();
      const range = parseRange(from, to, nowMs, source.grace_period);
      if (reason.trim() === "" || reason.length > longestReason)
        throw new UsageError(
          `--reason has ${reason.length} characters; expected 1 to ${longestReason}`,
        );
      requireHome(settings.home);
      await acceptWindows({ source, range, reason, nowMs }, settings, world);
    });
}

function parseRange(from: string, to: string, nowMs: number, graceMs: number): Interval {
  const [startMs, endMs] = [parseMoment(from, nowMs), parseMoment(to, nowMs)];
  if (startMs >= endMs) throw new UsageError(`--from ${from} is not before --to ${to}`);
  if (endMs + graceMs > nowMs)
    throw new UsageError(
      `--to ${to} has not closed yet: more events of that time may arrive; choose a time before ${formatSecond(nowMs - graceMs)}`,
    );
  return { startMs, endMs };
}
