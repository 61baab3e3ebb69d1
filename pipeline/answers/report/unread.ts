import type { DuckDBConnection } from "@duckdb/node-api";
import { fromTimestamp, formatSecond } from "../../base/time/text.ts";
import type { Reach, Unread } from "../../base/rows/row.ts";
import type { ParamValue, Question } from "../../base/sql/question.ts";
import { nullable, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { readMoment } from "../../base/report/values.ts";

const shownLines = 3;
// Sources are read one after the other, so that one ends a little before another.
const hourMs = 3_600_000;
const sameRunMs = hourMs;

/**
 * Reads in order the times not covered by the log of each source, or of one, and up to when a service was read. Creates
 * the table `unread_log` for queries/access.
 */
export async function readUnreadTimes(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Omit<Reach, "isEmpty">> {
  const values = { source: source ?? null, imported: await readImportedJson(connection) };
  const rows = await queryRows(connection, "queries/status/unread.sql", unreadShape, values);
  const upTo = rows.flatMap(({ readUpTo }) => readUpTo ?? []);
  return {
    upToMs: upTo.length === 0 ? null : Math.max(...upTo),
    unread: rows.map(({ source, unreadFrom: fromMs, unreadUntil: untilMs, isPruned }) => ({
      source,
      fromMs,
      untilMs,
      isPruned,
    })),
  };
}

const moment = nullable((value) => fromTimestamp(String(value)));
const unreadShape = {
  source: text,
  unreadFrom: moment,
  unreadUntil: moment,
  readUpTo: moment,
  isPruned: truth,
};

const importedShape = { source: text, firstWindow: nullable(text) };
const endsShape = {
  firstEvent: nullable(text),
  lastBefore: nullable(text),
  lastEvent: nullable(text),
};

// Runs for each source: one query for all sources would read every event.
async function readImportedJson(connection: DuckDBConnection): Promise<string> {
  const all = [];
  for (const row of await queryRows(connection, "queries/status/imported.sql", importedShape)) {
    const values = { source: row.source, first_window: row.firstWindow };
    const path = "queries/status/event_ends.sql";
    const [ends] = await queryRows(connection, path, endsShape, values);
    const { firstEvent, lastBefore, lastEvent } = ends!;
    const events = { first_event: firstEvent, last_before: lastBefore, last_event: lastEvent };
    all.push({ source: row.source, ...events });
  }
  return JSON.stringify(all);
}

/**
 * Lists uncovered times that affect the questions, one per line, at most three. A question without a start covers all
 * data, or a moment. The end of a log is reported if it ends before others or before the range; the end of the data
 * always.
 */
export function listUnreadWithin(
  { unread, upToMs }: Omit<Reach, "isEmpty">,
  questions: readonly Question["values"][],
): string[] {
  const isWorthALine = ({ fromMs, untilMs }: Unread, beforeMs: number): boolean =>
    upToMs === null ||
    untilMs !== null ||
    fromMs === null ||
    fromMs <= beforeMs ||
    fromMs < upToMs - sameRunMs;
  const selectWorthALine = (beforeMs: number): Unread[] =>
    unread.filter((each) => isWorthALine(each, beforeMs));
  const lookedAt = questions.flatMap((values) => findRange(values) ?? []);
  const [startMs, endMs] = [
    Math.min(...lookedAt.map((each) => each.startMs)),
    Math.max(...lookedAt.map((each) => each.endMs)),
  ];
  const beginMs = Math.min(...questions.flatMap(({ since }) => (since && readMoment(since)) ?? []));
  const moments = questions.flatMap(({ on }) => (on && readMoment(on)) ?? []);
  return [
    ...listUnreadBetween(
      selectWorthALine(Number.isFinite(beginMs) ? beginMs : -Infinity),
      startMs,
      endMs,
    ),
    ...new Set(moments.flatMap((ms) => listUnreadAt(selectWorthALine(-Infinity), ms))),
  ];
}

// `days` is how far a report looks back from its range or moment, `hours` how far ahead.
function findRange({
  since,
  until,
  on,
  days,
  hours,
}: Question["values"]): { readonly startMs: number; readonly endMs: number } | undefined {
  const backMs = toNumber(days) * 24 * hourMs;
  const aheadMs = toNumber(hours) * hourMs;
  const sinceMs = since && readMoment(since);
  const onMs = on && readMoment(on);
  if (sinceMs !== undefined)
    return {
      startMs: sinceMs - backMs,
      endMs: ((until && readMoment(until)) ?? Infinity) + aheadMs,
    };
  if (onMs === undefined || backMs + aheadMs === 0) return undefined;
  return { startMs: onMs - backMs, endMs: onMs + aheadMs };
}

function toNumber(given: ParamValue | undefined): number {
  return given?.type === "integer" ? Number(given.value) : 0;
}

/** Lists the uncovered times between two moments, one per line, at most three. */
export function listUnreadBetween(
  unread: readonly Unread[],
  startMs: number,
  endMs: number,
): string[] {
  const within = unread.filter((each) => overlaps(each, startMs, endMs));
  const lines = within.slice(0, shownLines).map(formatTime);
  const more = within.length - lines.length;
  return more === 0 ? lines : [...lines, `${more} more parts of the range are incomplete`];
}

/** Returns whether an uncovered time overlaps an interval. */
export function overlaps({ fromMs, untilMs }: Unread, startMs: number, endMs: number): boolean {
  return (fromMs ?? -Infinity) < endMs && (untilMs ?? Infinity) > startMs;
}

function formatTime({ source, fromMs, untilMs, isPruned }: Unread): string {
  if (isPruned) return `the events of ${source} before ${formatSecond(untilMs!)} were pruned`;
  const log = `the log of ${source}`;
  if (fromMs === null)
    return untilMs === null
      ? `no part of ${log} was read completely`
      : `${log} begins at ${formatSecond(untilMs)}`;
  if (untilMs === null) return `${log} ends at ${formatSecond(fromMs)}`;
  return `${log} is incomplete from ${formatSecond(fromMs)} to ${formatSecond(untilMs)}`;
}

/** A line for each source whose log was not read up to a moment, or begins behind it. */
export function listUnreadAt(unread: readonly Unread[], momentMs: number): string[] {
  return unread
    .filter(
      ({ fromMs, untilMs, isPruned }) =>
        !isPruned && (fromMs ?? -Infinity) < momentMs && (untilMs ?? Infinity) > momentMs,
    )
    .map((each) => `${formatTime(each)}: ${formatUnknown(each)}`);
}

function formatUnknown({ fromMs, untilMs }: Unread): string {
  if (untilMs === null) return "later changes are unknown";
  if (fromMs === null) return "earlier changes are known only from later events";
  return "changes in that time are unknown";
}
