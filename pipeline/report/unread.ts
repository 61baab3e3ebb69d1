import type { DuckDBConnection } from "@duckdb/node-api";
import { fromTimestamp, secondText } from "../moments/text.ts";
import type { Unread } from "../rows/reach.ts";
import type { Question } from "../sql/question.ts";
import { queryFile, textOf } from "../sql/statements.ts";
import { momentOf } from "./values.ts";

const shownLines = 3;

/**
 * The times of which the log of each source, or of one, was not read, in order. It makes `unread_log`, which files of
 * queries/access ask.
 */
export async function unreadOf(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Unread[]> {
  const values = { source: source ?? null, imported: await importedJson(connection) };
  const rows = await queryFile(connection, "queries/status/unread.sql", values);
  const ms = (text: string | null): number | null => (text === null ? null : fromTimestamp(text));
  return rows.map((row) => ({
    source: String(row["source"]),
    fromMs: ms(textOf(row, "unread_from")),
    untilMs: ms(textOf(row, "unread_until")),
    isService: row["is_service"] === true,
  }));
}

// Source by source: asked of all at once, the database would read every event for it.
async function importedJson(connection: DuckDBConnection): Promise<string> {
  const ends: Record<string, string | null>[] = [];
  for (const { source } of await queryFile(connection, "queries/status/imported.sql")) {
    const values = { source: String(source) };
    const [row] = await queryFile(connection, "queries/status/event_ends.sql", values);
    const [first_event, last_event] = ["first_event", "last_event"].map((name) =>
      textOf(row!, name),
    );
    ends.push({ source: String(source), first_event: first_event!, last_event: last_event! });
  }
  return JSON.stringify(ends);
}

/** `unreadBetween` the bounds of a question; without a beginning it asks for whatever is there. */
export function unreadWithin(
  unread: readonly Unread[],
  { since, until }: Question["values"],
): string[] {
  const startMs = since === undefined ? undefined : momentOf(since);
  const endMs = until === undefined ? undefined : momentOf(until);
  return startMs === undefined ? [] : unreadBetween(unread, startMs, endMs ?? Infinity);
}

/**
 * A line for each time between two moments of which the log was not read, the first three of them. What lies behind all
 * that was read is told only where nothing was: each answer tells up to when it goes.
 */
export function unreadBetween(unread: readonly Unread[], startMs: number, endMs: number): string[] {
  const within = unread.filter(
    ({ fromMs, untilMs }) =>
      (fromMs ?? -Infinity) < endMs &&
      (untilMs ?? Infinity) > startMs &&
      (untilMs !== null || fromMs === null || fromMs <= startMs),
  );
  const lines = within
    .slice(0, shownLines)
    .map((each) => `the log of ${each.source} was not read ${timeText(each)}`);
  const more = within.length - lines.length;
  return more === 0 ? lines : [...lines, `${more} more times of the range were not read`];
}

function timeText({ fromMs, untilMs }: Unread): string {
  if (fromMs === null) return untilMs === null ? "at all" : `before ${secondText(untilMs)}`;
  if (untilMs === null) return `after ${secondText(fromMs)}`;
  return `from ${secondText(fromMs)} to ${secondText(untilMs)}`;
}

/** A line for each source of which the log was not read up to a moment, or begins behind it. */
export function unreadAt(unread: readonly Unread[], momentMs: number): string[] {
  return unread
    .filter(
      ({ fromMs, untilMs }) => (fromMs ?? -Infinity) < momentMs && (untilMs ?? Infinity) > momentMs,
    )
    .map(
      (each) => `the log of ${each.source} was not read ${timeText(each)}: ${unknownText(each)}`,
    );
}

function unknownText({ fromMs, untilMs }: Unread): string {
  if (fromMs === null) return "of that time, only what it tells later is known";
  return untilMs === null ? "what changed since is not known" : "what changed then is not known";
}
