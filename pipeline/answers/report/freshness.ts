import { commandText } from "../../base/command-line.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isoText } from "../../base/time/text.ts";
import type { Reach } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import { unreadOf, unreadWithin } from "./unread.ts";

/** How far what is published reaches, of one source or of all. */
export async function reachOf(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Reach> {
  return { ...(await unreadIn(connection, source)), isEmpty: await isEmpty(connection) };
}

async function unreadIn(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Omit<Reach, "isEmpty">> {
  try {
    return await unreadOf(connection, source);
  } catch {
    // A footnote: a file without the ledger is still worth a report.
    return { upToMs: null, unread: [] };
  }
}

/** True where no event was ever loaded, as after a first run that failed: then no rows mean nothing. */
export async function isEmpty(connection: DuckDBConnection): Promise<boolean> {
  try {
    const reader = await connection.runAndReadAll(
      "select count(*) from (select 1 from event_rows limit 1)",
    );
    return Number(reader.getRows()[0]?.[0]) === 0;
  } catch {
    return false;
  }
}

/** What to say of an answer from a database that holds nothing. */
export const emptyWarning = (): string =>
  `warning: no event is loaded yet, so no rows mean nothing; ${commandText("status")} says what runs came to`;

/** How far the data goes, and what of the ranges and moments of some questions is not known; a line each. */
export function reachLines(
  reach: Reach | undefined,
  ranges: readonly Question["values"][],
): string[] {
  if (reach === undefined) return [];
  const upTo = reach.upToMs === null ? [] : [`data up to ${isoText(reach.upToMs)}`];
  const notes = [...unreadWithin(reach, ranges), ...(reach.untold ?? [])];
  return [...upTo, ...notes.map((line) => `note: ${line}`)];
}
