import { type Notice, notify, formatNotice, warning } from "../../base/notice/notice.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { storeLandedUsers, takeUsers } from "../load/take-users.ts";
import { type ClockCheck, ClockError, mostSkewMs } from "../source/clock.ts";
import { readUsers } from "../source/read-users.ts";
import type { SourceRun } from "./plan.ts";
import { readDirectoryNotes, endedNotice } from "../completeness/directory.ts";
import { listEndedUsers, findHeldBackList, listLastUserReads } from "../store/user-readings.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { voidReadsAhead } from "../load/mark-windows.ts";
import { askOnce } from "../source/audits.ts";
import { findNewestRead } from "../store/ledger/coverage.ts";

/** What a reading of the user directory came to. */
type UsersLoaded = {
  /** Why nothing of it was accepted, or why it ends no user. */
  readonly error: Notice | undefined;
  /** The warning of users who ended. */
  readonly ended: readonly Notice[];
};

/**
 * Reads the user directory and stores it. If that fails, events are still loaded, and the next successful run adds the
 * e-mails: a key without access to the directory can still have access to the log. Throws ClockError.
 */
export async function loadUsers(own: SourceRun, checkClock: ClockCheck): Promise<UsersLoaded> {
  const { source, writer, world } = own;
  const { connection } = writer.database;
  if (world.signal.aborted) return { error: undefined, ended: [] };
  const before = (await listLastUserReads(connection)).get(source.name);
  const error = await takeList(own, checkClock);
  const ended =
    before === undefined ? undefined : await listEndedUsers(connection, source.name, before);
  return { error, ended: ended === undefined ? [] : [endedNotice(source.name, ended)] };
}

async function takeList(
  { client, settings, source, writer, world }: SourceRun,
  checkClock: ClockCheck,
): Promise<Notice | undefined> {
  const { connection } = writer.database;
  const { landing } = settings.home;
  const findRefusal = async (): Promise<Notice | undefined> =>
    (await readDirectoryNotes(connection, source.name)).refused;
  try {
    await storeLandedUsers(landing, connection);
    const list = await readUsers(client, source, checkClock);
    await takeUsers(landing, connection, source.name, list, world.now());
    return await findRefusal();
  } catch (error) {
    if (error instanceof ClockError) throw error;
    if (world.signal.aborted) return undefined;
    if (!(error instanceof AuditlakeError)) throw error;
    const isHeldBack = (await findHeldBackList(connection, source.name)) !== undefined;
    const refused = isHeldBack ? await findRefusal() : undefined;
    return warning("users_unread", {
      why: getMessage(error),
      refused: refused === undefined ? null : formatNotice(refused),
    });
  }
}

/** What the clocks show at the start of a run: ours, and the service's from its first answer on. */
type RunClock = {
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
 * Voids stored reads dated after now: the clock of their run was ahead, so their windows are pending again. If they are
 * so far ahead that our own clock may be wrong, the service's clock decides first. Throws ClockError.
 */
export async function setAsideReadsAhead(
  { source, settings, writer, client, world }: SourceRun,
  clock: RunClock,
  runId: string,
): Promise<void> {
  const { connection } = writer.database;
  const aheadMs = await countReadsAhead(connection, source.name, clock);
  if (aheadMs <= 0) return;
  if (aheadMs > mostSkewMs && !clock.isServiceKnown()) {
    const endMs = clock.earlierMs();
    const page = await askOnce(client, source, { startMs: endMs - 1000, endMs }).catch(ignoreFault);
    if (page === undefined) return;
    clock.check(page.serverTimeMs);
  }
  const context = { connection, landing: settings.home.landing, runId, nowMs: clock.laterMs() };
  const runs = await voidReadsAhead(context, source.name);
  if (runs > 0) notify(world, warning("clock_was_ahead", { runs }));
}

async function countReadsAhead(
  connection: DuckDBConnection,
  source: string,
  clock: RunClock,
): Promise<number> {
  return ((await findNewestRead(connection, source)) ?? 0) - clock.laterMs();
}

// A service that does not answer fails the run later, window by window.
function ignoreFault(error: unknown): undefined {
  if (error instanceof AuditlakeError && !(error instanceof ClockError)) return undefined;
  throw error;
}
