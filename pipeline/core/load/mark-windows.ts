import type { DuckDBConnection } from "@duckdb/node-api";
import { landMark } from "../landing/marks.ts";
import type { NamedSource } from "../../base/home/settings.ts";
import type { Interval } from "../../base/time/periods.ts";
import { advanceCheckpoint } from "../store/ledger/record.ts";
import {
  joinIntervals,
  type Mark,
  listOverdue,
  recordMark,
  listRunsDatedAfter,
  listStates,
} from "../store/ledger/marks.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { toTimestamp } from "../../base/time/text.ts";

/** How far back a scheduled run goes for windows that are not final, milliseconds: as far as the service may still have them. */
export function computeRetention({ retention, lookback }: NamedSource): number {
  return retention ?? 2 * lookback;
}

export type MarkContext = {
  readonly connection: DuckDBConnection;
  readonly landing: string;
  readonly runId: string;
  readonly nowMs: number;
};

/**
 * Marks as gaps the intervals that no scheduled run will read again although they are not final: those beyond the
 * retention. Unreadable seconds are marked only if the configuration says that the service no longer has them. Returns
 * them, joined.
 */
export async function markGaps(context: MarkContext, source: NamedSource): Promise<Interval[]> {
  const beforeMs = context.nowMs - computeRetention(source);
  const isLost = source.retention !== undefined;
  const overdue = await listOverdue(context.connection, source.name, beforeMs, isLost);
  // An interval that the range still covers stays pending.
  const gone = overdue.filter(({ endMs }) => endMs <= context.nowMs - source.lookback);
  const note = "not final when it left the scheduled range";
  await markIntervals(context, source.name, gone, { state: "gap", note });
  return gone;
}

/**
 * Makes reads that are dated after now count for nothing, durably: the clock of their run was ahead. Returns how many
 * runs had such reads.
 */
export async function voidReadsAhead(context: MarkContext, source: string): Promise<number> {
  const { connection, landing, nowMs } = context;
  const found = await listRunsDatedAfter(connection, source, nowMs);
  const state = "dated_ahead" as const;
  const marks = found.map(({ run_id, start, end }) => ({
    mark_id: `${run_id}-ahead`,
    run_id,
    source,
    start,
    end,
    state,
    marked_at: toTimestamp(nowMs),
    note: "its reads were dated after a later run",
  }));
  for (const one of marks) await landMark(landing, { version: 1, ...one });
  if (marks.length > 0) await storeMarks(connection, marks);
  return marks.length;
}

/**
 * Accepts what of a range is not final by evidence, as a person said, or is final and lies in one of the gaps. Returns
 * what was accepted, joined.
 */
export async function acceptRange(
  context: MarkContext,
  source: string,
  range: Interval,
  reason: string,
  gaps: readonly Interval[] = [],
): Promise<Interval[]> {
  const states = await listStates(context.connection, source, range);
  const { startMs: fromMs, endMs: toMs } = range;
  const inside = [...states, ...gaps].flatMap((s) => [s.startMs, s.endMs]);
  const edges = [fromMs, ...inside.filter((ms) => ms > fromMs && ms < toMs), toMs];
  const borders = [...new Set(edges)].sort((a, b) => a - b);
  const isIn = (intervals: readonly Interval[], atMs: number): boolean =>
    intervals.some(({ startMs, endMs }) => startMs <= atMs && atMs < endMs);
  const finalized = states.filter(({ state }) => state === "finalized");
  const isFinal = (atMs: number): boolean => isIn(finalized, atMs) && !isIn(gaps, atMs);
  const open = borders
    .slice(1)
    .map((endMs, i) => ({ startMs: borders[i]!, endMs }))
    .filter(({ startMs }) => !isFinal(startMs));
  const accepted = joinIntervals(open);
  await markIntervals(context, source, accepted, { state: "accepted", note: reason });
  return accepted;
}

/**
 * Records intervals that the service does not serve as coverage gaps, those apart that an earlier read has closed. They
 * count until a later read of them. Returns what was recorded, joined.
 */
export async function markUnserved(
  context: MarkContext,
  source: string,
  unserved: readonly Interval[],
): Promise<Interval[]> {
  const unread: Interval[] = [];
  for (const interval of joinIntervals(unserved.toSorted((a, b) => a.startMs - b.startMs))) {
    const states = await listStates(context.connection, source, interval);
    if (states.every(({ state }) => state === "unread" || state === "open")) unread.push(interval);
  }
  const note = "the service does not return it";
  await markIntervals(context, source, unread, { state: "gap", note, name: "unserved" });
  return unread;
}

/** State and reason of marks; `name` is a part of their ids, the state if left out. */
type MarkText = Pick<Mark, "state" | "note"> & { readonly name?: string };

async function markIntervals(
  { connection, landing, runId, nowMs }: MarkContext,
  source: string,
  intervals: readonly Interval[],
  { state, note, name = state }: MarkText,
): Promise<void> {
  const markedAt = toTimestamp(nowMs);
  const marks = intervals.map(({ startMs, endMs }, i) => ({
    mark_id: `${runId}-${name}-${i + 1}`,
    run_id: runId,
    source,
    start: toTimestamp(startMs),
    end: toTimestamp(endMs),
    state,
    marked_at: markedAt,
    note,
  }));
  for (const one of marks) await landMark(landing, { version: 1, ...one });
  if (marks.length > 0) await storeMarks(connection, marks);
}

/** Stores marks in one transaction, and moves the checkpoint of each source over them. */
export async function storeMarks(
  connection: DuckDBConnection,
  marks: readonly Mark[],
): Promise<void> {
  await runInTransaction(connection, async () => {
    for (const one of marks) await recordMark(connection, one);
    for (const { source, run_id: runId, marked_at: seenAt } of takeFirstOfEach(marks))
      await advanceCheckpoint(connection, { source, runId, seenAt }, undefined);
  });
}

function takeFirstOfEach(marks: readonly Mark[]): Mark[] {
  return [...new Map(marks.map((one) => [one.source, one])).values()];
}
