import { AuditlakeError, exitCode, messageOf } from "../errors.ts";
import { toTimestamp } from "../moments/text.ts";
import { LastingPageError } from "../records/error.ts";
import { ClockError } from "../source/clock.ts";
import { UnexpectedStatus } from "../source/faults.ts";
import { DatabaseDown } from "../store/fault.ts";
import { recordRun, type RunRow } from "../store/ledger/record.ts";
import type { WindowsRun, WindowFailure } from "./windows-run.ts";
import type { Interval } from "../moments/interval.ts";

/** What a run over windows came to. */
export type RunOutcome = {
  readonly run: RunRow;
  readonly failures: readonly WindowFailure[];
  /** Closed windows that gave something else each time they were read: kept, but not finalized. */
  readonly disagreeing: readonly Interval[];
  /** Windows with more than one read is to hold, read whole since the service takes no window. */
  readonly unsplit: readonly Interval[];
  /** Windows that an interrupt left to a later run. */
  readonly left: readonly Interval[];
  /** Whether the service answers the same whatever window it is asked for. */
  readonly ignoresWindows: boolean;
};

// Windows that are refused alike before any was read: the rest would be, too.
const alike = 3;

/** What no further window need be asked for after, where some were refused alike before any was read. */
export function hopeless(
  error: unknown,
  { failures, run, fetches }: WindowsRun,
): AuditlakeError | undefined {
  if (fetches.left().length === 0) return undefined;
  const isRefused = error instanceof UnexpectedStatus || error instanceof LastingPageError;
  // Each may name its own times.
  const kinds = new Set(failures.map(({ message }) => message.replaceAll(/\d+/g, "0")));
  if (!isRefused || run.windows > 0 || failures.length < alike || kinds.size > 1) return undefined;
  return new AuditlakeError(
    `${messageOf(error)}; ${failures.length} windows were refused alike, so the rest was not asked for`,
  );
}

/** Ends a run that came to its end, or was interrupted, and says what it came to. */
export async function finish(windowsRun: WindowsRun): Promise<RunOutcome> {
  const { fetches, failures, disagreeing, unsplit, world } = windowsRun;
  const left = fetches.left();
  const outcome =
    world.signal.aborted && left.length > 0
      ? "interrupted"
      : failures.length === 0
        ? "done"
        : windowsRun.run.windows > 0
          ? "partial"
          : "failed";
  const run = await end(windowsRun, outcome, failures[0]?.message ?? null);
  return { run, failures, disagreeing, unsplit, left, ignoresWindows: fetches.ignoresWindows() };
}

/** Records how a run ended. */
export async function end(
  { run, client, writer, world }: WindowsRun,
  outcome: RunRow["outcome"],
  error: string | null,
): Promise<RunRow> {
  const row = { ...run, ...client.counts, outcome, error, finishedAt: toTimestamp(world.now()) };
  await recordRun(writer.database.connection, row);
  return row;
}

/**
 * Whether an error ends the run, rather than one window of it. Such are a refused key, a wrong clock, a database that
 * is down, and what was not foreseen.
 */
export function isFinal(error: unknown): boolean {
  const isOurs = error instanceof AuditlakeError;
  if (!isOurs || error instanceof ClockError || error instanceof DatabaseDown) return true;
  return error.exitCode === exitCode.refused;
}
