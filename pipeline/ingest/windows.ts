import { AuditlakeError, messageOf } from "../errors.ts";
import { MisplacedRecords } from "../records/error.ts";
import type { Window } from "../source/audits.ts";
import { ClockError } from "../source/clock.ts";
import { inItsName, UnexpectedStatus } from "../source/faults.ts";
import { recordRun, type RunRow } from "../store/ledger/record.ts";
import { newAhead } from "../load/ahead.ts";
import { isFinal } from "../load/landed.ts";
import { loadOne, loadTogether, readyWith, type Session, type WindowFailure } from "./loading.ts";
import type { PlannedRead } from "./plan.ts";
import type { Told } from "../terminal/progress.ts";
import { landWindow } from "./fetch-window.ts";
import type { ReadPlan, SourceTurn } from "./task.ts";
import { newReads, type Read } from "./reads.ts";
import { toTimestamp } from "../moments/text.ts";

/** What a run over windows came to. */
export type RunOutcome = {
  readonly run: RunRow;
  readonly failures: readonly WindowFailure[];
  /** Closed windows that gave something else each time they were read: kept, but not finalized. */
  readonly unsettled: readonly Window[];
  /** Windows with more than one read is to hold, read whole since the service takes no window. */
  readonly uncut: readonly Window[];
  /** Windows that an interrupt left to a later run. */
  readonly left: readonly Window[];
  /** Whether the service answers the same whatever window it is asked for. */
  readonly ignoresWindows: boolean;
};

/**
 * Does the planned reads, several at once, and loads each wholly or not at all. A window that fails
 * leaves the others alone. A refused key ends the run, and so does an interrupt: what is on disk by then is
 * still loaded.
 */
export async function runWindows(
  { client, settings: { home }, writer, world }: SourceTurn,
  plan: ReadPlan,
  planned: readonly PlannedRead[],
  start: RunRow,
  tell: Told,
): Promise<RunOutcome> {
  const { limits, audits } = plan.source;
  const reads = newReads(planned, limits.concurrency, audits.window_params !== null, (task) =>
    landWindow(client, plan, task, world),
  );
  const ahead = newAhead(home, writer, reads.landed, plan.held);
  const common = { reads, client, plan, home, writer, world, ahead };
  const session: Session = { ...common, failures: [], unsettled: [], uncut: [], run: start };
  if (world.signal.aborted) reads.stop();
  world.signal.addEventListener("abort", reads.stop, { once: true });
  try {
    await loadAll(session, tell);
  } catch (error) {
    // A run that stored nothing leaves no trace of its wrong times. What went wrong first is what counts: a
    // database that is down does not take the run's row either.
    if (!(error instanceof ClockError) || session.run.windows > 0)
      await end(session, "failed", messageOf(error)).catch(() => undefined);
    throw error;
  } finally {
    reads.stop();
    world.signal.removeEventListener("abort", reads.stop);
  }
  return finish(session);
}

async function loadAll(session: Session, tell: Told): Promise<void> {
  const { reads, world } = session;
  let refusal: unknown;
  let done = 0;
  for (let read = await reads.next(); read !== undefined; read = await reads.next()) {
    const ready = await readyWith(session, read);
    const isLoaded = await loadTogether(session, ready);
    for (const one of isLoaded ? [] : ready) {
      const found = await loadAlone(session, one);
      refusal ??= found;
    }
    done += ready.length;
    tell(done, `${session.run.fetched} events`, done + reads.left().length);
  }
  if (refusal !== undefined && !world.signal.aborted) throw refusal;
}

// Returns what no further window need be asked for after; undefined where only this one failed, or none did.
async function loadAlone(session: Session, read: Read): Promise<unknown> {
  const { reads, failures, plan } = session;
  try {
    await loadOne(session, read);
    return undefined;
  } catch (error) {
    if (isFinal(error) && "manifest" in read) throw error;
    let refusal = isFinal(error) ? error : undefined;
    if (refusal === undefined) {
      failures.push({
        window: read.job.window,
        message: inItsName(messageOf(error), plan.source.name),
      });
      refusal = hopeless(error, session);
    }
    if (refusal !== undefined) reads.stop();
    return refusal;
  }
}

// Windows that are refused alike before any was read: the rest would be, too.
const alike = 3;

function hopeless(error: unknown, { failures, run, reads }: Session): AuditlakeError | undefined {
  if (reads.left().length === 0) return undefined;
  const isRefused = error instanceof UnexpectedStatus || error instanceof MisplacedRecords;
  // Each may name its own times.
  const kinds = new Set(failures.map(({ message }) => message.replaceAll(/\d+/g, "0")));
  if (!isRefused || run.windows > 0 || failures.length < alike || kinds.size > 1) return undefined;
  return new AuditlakeError(
    `${messageOf(error)}; ${failures.length} windows were refused alike, so the rest was not asked for`,
  );
}

async function finish(session: Session): Promise<RunOutcome> {
  const { reads, failures, unsettled, uncut, world } = session;
  const left = reads.left();
  const outcome =
    world.signal.aborted && left.length > 0
      ? "interrupted"
      : failures.length === 0
        ? "done"
        : session.run.windows > 0
          ? "partial"
          : "failed";
  const run = await end(session, outcome, failures[0]?.message ?? null);
  return { run, failures, unsettled, uncut, left, ignoresWindows: reads.ignoresWindows() };
}

async function end(
  { run, client, writer, world }: Session,
  outcome: RunRow["outcome"],
  error: string | null,
): Promise<RunRow> {
  const row = { ...run, ...client.counts, outcome, error, finishedAt: toTimestamp(world.now()) };
  await recordRun(writer.database.connection, row);
  return row;
}
