import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { type Facts, factsOf, ofSource } from "../../base/sql/facts.ts";

/**
 * How long the service has shown no event of a source, seconds, and how long it usually does. Null where there is no
 * event, or no window was read. Reads four weeks of events, whatever the history; asks the windows of `knowWindows`.
 */
export async function silenceOf(
  connection: DuckDBConnection,
  source: string,
): Promise<Facts | null> {
  const [last] = await factsOf(connection, "queries/status/last_event.sql", ofSource(source));
  if (last === undefined) return null;
  const text = (name: string) => ({ type: VARCHAR, value: last[name] as string });
  const [silence = null] = await factsOf(connection, "queries/status/silence.sql", {
    ...ofSource(source),
    last_event: text("last_event"),
    read_up_to: text("read_up_to"),
  });
  return silence;
}
