import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { stampText } from "../moments/text.ts";
import { queryFile, runFile, textOf } from "../sql/statements.ts";

/** Makes `log_ranges`, which files of queries/access ask: from when to when the log of each source was read. */
export async function makeLogRanges(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, "queries/access/log_ranges.sql");
}

/**
 * A line for each source and moment, as the database writes it, that lies outside of what was read of the log. It makes
 * `log_ranges`.
 */
export async function unreadMoments(
  connection: DuckDBConnection,
  source: string | undefined,
  moments: readonly string[],
): Promise<string[]> {
  const values = { moments: listValue([...moments]), source: source ?? null };
  await makeLogRanges(connection);
  const rows = await queryFile(connection, "queries/access/unread_moments.sql", values);
  return rows.map((row) => {
    const stamp = (name: string): string => stampText(textOf(row, name)!);
    const log = `the log of ${String(row["source"])}`;
    switch (String(row["place"])) {
      case "before":
        return `${log} was read from ${stamp("read_from")} on; of the time before, only what it tells in passing is known`;
      case "after":
        return `${log} was read up to ${stamp("read_until")}; what changed since is not known`;
      default:
        return `${log} has a gap from ${stamp("gap_start")} to ${stamp("gap_end")}; what changed in it is not known`;
    }
  });
}
