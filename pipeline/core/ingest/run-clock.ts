import { notify, warning } from "../../base/notice/notice.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AuditlakeError } from "../../base/errors.ts";
import { voidReadsAhead } from "../load/mark-windows.ts";
import { askOnce } from "../source/audits.ts";
import { type ClockCheck, ClockError, mostSkewMs } from "../source/clock.ts";
import { newestReadOf } from "../store/ledger/coverage.ts";
import { plural } from "../../base/terminal/amounts.ts";
import type { SourceRun } from "./task.ts";

/** What the clocks show at the start of a run: ours, and the service's from its first answer on. */
export type RunClock = {
  /** Takes the service's time; the first one counts. */
  readonly check: ClockCheck;
  readonly isServiceKnown: () => boolean;
  /** The earlier of both: nothing that ends later has ended. */
  readonly earlierMs: () => number;
  /** The later of both: a read that is dated later proves nothing. */
  readonly laterMs: () => number;
};

/** The clocks of a run that started at `startedMs` by ours. */
export function newRunClock(
  startedMs: number,
  { now }: { readonly now: () => number },
  check: ClockCheck,
): RunClock {
  let aheadMs: number | undefined;
  return {
    check: (serverTimeMs) => {
      check(serverTimeMs);
      if (serverTimeMs !== undefined) aheadMs ??= serverTimeMs - now();
    },
    isServiceKnown: () => aheadMs !== undefined,
    earlierMs: () => startedMs + Math.min(0, aheadMs ?? 0),
    laterMs: () => startedMs + Math.max(0, aheadMs ?? 0),
  };
}

/**
 * Sets aside the stored reads that are dated after now: the clock of their run was ahead, and their windows are due
 * again. Where they are so far ahead that our own clock may be wrong, the service's decides first. Throws ClockError.
 */
export async function setAsideReadsAhead(
  { source, settings, writer, client, world }: SourceRun,
  clock: RunClock,
  runId: string,
): Promise<void> {
  const { connection } = writer.database;
  const aheadMs = await aheadOf(connection, source.name, clock);
  if (aheadMs <= 0) return;
  if (aheadMs > mostSkewMs && !clock.isServiceKnown()) {
    const endMs = clock.earlierMs();
    const page = await askOnce(client, source, { startMs: endMs - 1000, endMs }).catch(orNothing);
    if (page === undefined) return;
    clock.check(page.serverTimeMs);
  }
  const context = { connection, landing: settings.home.landing, runId, nowMs: clock.laterMs() };
  const runs = await voidReadsAhead(context, source.name);
  if (runs > 0)
    notify(
      world,
      warning("text", {
        text: `${plural(runs, "earlier run")} had a clock that was ahead of now: its reads do not count, and their windows are read again`,
      }),
    );
}

async function aheadOf(
  connection: DuckDBConnection,
  source: string,
  clock: RunClock,
): Promise<number> {
  return ((await newestReadOf(connection, source)) ?? 0) - clock.laterMs();
}

// A service that does not answer fails the run later, window by window.
function orNothing(error: unknown): undefined {
  if (error instanceof AuditlakeError && !(error instanceof ClockError)) return undefined;
  throw error;
}
