import type { Command } from "commander";
import { UsageError } from "../../base/errors.ts";
import { acceptWindows } from "../../core/ingest/accept-windows.ts";
import { requireHome } from "../../base/home/published.ts";
import { chooseSource, readSettings } from "../../base/home/settings.ts";
import { parseMoment } from "../../base/time/times.ts";
import type { World } from "../../base/world.ts";
import { secondText } from "../../base/time/text.ts";
import type { Interval } from "../../base/time/interval.ts";

type Flags = { readonly from?: string; readonly to?: string; readonly reason?: string };

const longestReason = 1000;

/** Registers `ingest accept`: a person confirms windows for which the service gives no evidence. */
export function accept(ingest: Command, world: World): void {
  ingest
    .command("accept")
    .description("count closed windows of a range, or a gap in it, as final from now on")
    .option("--from <time>", "from this time on; a date, RFC 3339, or 30d")
    .option("--to <time>", "up to this time")
    .option("--reason <text>", "why, kept in the ledger")
    .addHelpText(
      "after",
      "\nWhat is accepted shows as state accepted, never as finalized. A later read that brings more opens it again.\n\nExample:\n  auditlake ingest accept --from 2026-01-01 --to 2026-01-03 --reason 'checked against the export of the service'",
    )
    .action(async (_flags: Flags, command: Command) => {
      // The verb above has --from and --to, too, and takes them wherever they stand.
      const { from, to, reason } = command.optsWithGlobals<Flags>();
      if (from === undefined || to === undefined || reason === undefined)
        throw new UsageError(
          "ingest accept needs --from, --to and --reason; expected the range that is accepted, and why",
        );
      const settings = readSettings(command.optsWithGlobals(), world);
      const source = chooseSource(settings, world);
      const nowMs = world.now();
      const range = rangeOf(from, to, nowMs, source.grace_period);
      if (reason.trim() === "" || reason.length > longestReason)
        throw new UsageError(
          `--reason has ${reason.length} characters; expected 1 to ${longestReason}, in words`,
        );
      requireHome(settings.home);
      await acceptWindows({ source, range, reason, nowMs }, settings, world);
    });
}

function rangeOf(from: string, to: string, nowMs: number, graceMs: number): Interval {
  const [startMs, endMs] = [parseMoment(from, nowMs), parseMoment(to, nowMs)];
  if (startMs >= endMs) throw new UsageError(`--from ${from} is not before --to ${to}`);
  if (endMs + graceMs > nowMs)
    throw new UsageError(
      `--to ${to} has not closed yet: events of that time may still come; choose a time before ${secondText(nowMs - graceMs)}`,
    );
  return { startMs, endMs };
}
