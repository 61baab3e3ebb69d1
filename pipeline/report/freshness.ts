import type { DuckDBConnection } from "@duckdb/node-api";
import type { Reach } from "../rows/reach.ts";
import type { Question } from "../sql/question.ts";
import { cellOf } from "./cells.ts";
import { unreadOf, unreadWithin } from "./unread.ts";

const newest = "select max(least(window_end, last_read_at)) from ingest_windows";

/** How far what is published reaches, of one source or of all. */
export async function reachOf(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Reach> {
  const upTo = await dataUpTo(connection);
  const isUnread = upTo === undefined && (await isEmpty(connection));
  return { upTo, isEmpty: isUnread, unread: await unreadIn(connection, source) };
}

async function unreadIn(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Reach["unread"]> {
  try {
    return await unreadOf(connection, source);
  } catch {
    return [];
  }
}

// As RFC 3339 has it.
async function dataUpTo(connection: DuckDBConnection): Promise<string | undefined> {
  try {
    const reader = await connection.runAndReadAll(newest);
    const value = reader.getRows()[0]?.[0] ?? null;
    return value === null ? undefined : String(cellOf(value, reader.columnType(0)));
  } catch {
    // A footnote: a file without the ledger is still worth a report.
    return undefined;
  }
}

/** True where no event was ever loaded, as after a first run that failed: then no rows mean nothing. */
export async function isEmpty(connection: DuckDBConnection): Promise<boolean> {
  try {
    const reader = await connection.runAndReadAll("select count(*) from event_rows");
    return Number(reader.getRows()[0]?.[0]) === 0;
  } catch {
    return false;
  }
}

/** What to say of an answer from a database that holds nothing. */
export const emptyWarning =
  "warning: no event is loaded yet, so no rows mean nothing; auditlake status says what runs came to";

/** How far the data goes, and what was not read of the ranges of some questions; a line each. */
export function reachLines(
  reach: Reach | undefined,
  ranges: readonly Question["values"][],
): string[] {
  if (reach === undefined) return [];
  const unread = new Set(ranges.flatMap((range) => unreadWithin(reach.unread, range)));
  const upTo = reach.upTo === undefined ? [] : [`data up to ${reach.upTo}`];
  return [...upTo, ...[...unread].map((line) => `warning: ${line}`)];
}
