import { AuditlakeError, exitCode, messageOf } from "../../base/errors.ts";
import { secondText, toTimestamp } from "../../base/time/text.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import { fault, type Notice, sentenceOf } from "../../base/notice/notice.ts";
import { LastingPageError } from "../records/error.ts";
import { ClockError } from "../source/clock.ts";
import { UnexpectedStatus } from "../source/faults.ts";
import { DatabaseDown } from "../store/fault.ts";
import { recordRun, type RunRow } from "../store/ledger/record.ts";
import type { Contradiction, WindowsRun, WindowFailure } from "./windows-run.ts";
import type { Interval } from "../../base/time/periods.ts";

/** What a run over windows came to. */
export type RunOutcome = {
  readonly run: RunRow;
  readonly failures: readonly WindowFailure[];
  /** Closed windows that gave something else each time they were read: kept, but not finalized. */
  readonly disagreeing: readonly Interval[];
  /** Windows with more than one read is to hold, read whole since the service takes no window. */
  readonly unsplit: readonly Interval[];
  /** Windows whose newest read is incomplete by what the answers show. */
  readonly contradicted: readonly Contradiction[];
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
  const contradicted = [...windowsRun.contradicted.values()];
  const isWhole = failures.length === 0 && contradicted.length === 0;
  const outcome =
    world.signal.aborted && left.length > 0
      ? "interrupted"
      : isWhole
        ? "done"
        : windowsRun.run.windows > 0
          ? "partial"
          : "failed";
  const [incomplete] = incompleteNotices(contradicted, windowsRun.plan.source);
  const error = failures[0]?.message ?? (incomplete && sentenceOf(incomplete));
  const run = await end(windowsRun, outcome, error ?? null);
  const ignoresWindows = fetches.ignoresWindows();
  return { run, failures, disagreeing, unsplit, contradicted, left, ignoresWindows };
}

/** The notices of incomplete data, one for each kind of contradiction. */
export function incompleteNotices(
  contradicted: readonly Contradiction[],
  { name }: NamedSource,
): Notice[] {
  const bySigns = Map.groupBy(contradicted, ({ signs }) => signs.join(", "));
  return [...bySigns].map(([signs, all]) => {
    const windows = windowsText(all.map(({ window }) => window));
    const command = ["doctor", "--source", name];
    return fault("data_incomplete", { windows, source: name, signs }, command);
  });
}

/** Names windows by their starts. */
export function windowsText(windows: readonly Interval[]): string {
  const inOrder = windows.toSorted((a, b) => a.startMs - b.startMs);
  const [first, last] = [inOrder[0]!, inOrder.at(-1)!].map(({ startMs }) => secondText(startMs));
  return windows.length === 1
    ? `window ${first}`
    : `${windows.length} windows, ${first} to ${last}`;
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
