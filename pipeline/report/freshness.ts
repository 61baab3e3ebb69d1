import type { DuckDBConnection } from "@duckdb/node-api";
import { isoText } from "../moments/text.ts";
import type { Reach } from "../rows/reach.ts";
import type { Question } from "../sql/question.ts";
import { unreadOf, unreadWithin } from "./unread.ts";

/** How far what is published reaches, of one source or of all. */
export async function reachOf(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Reach> {
  const unread = await unreadIn(connection, source);
  const upToMs = unread.flatMap(({ fromMs, isService }) => (isService ? [fromMs ?? 0] : []));
  const upTo = upToMs.length === 0 ? undefined : isoText(Math.max(...upToMs));
  return { upTo, isEmpty: unread.length === 0 && (await isEmpty(connection)), unread };
}

async function unreadIn(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<Reach["unread"]> {
  try {
    return await unreadOf(connection, source);
  } catch {
    // A footnote: a file without the ledger is still worth a report.
    return [];
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
  return [...upTo, ...[...unread].map((line) => `note: ${line}`)];
}
