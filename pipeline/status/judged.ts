import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../schemas/config.ts";
import { settingsOf } from "../home/source-settings.ts";
import { directoryWarnings } from "./directory.ts";
import type { SourceFacts } from "./ledger-facts.ts";
import type { SourceStatus } from "./print.ts";
import { warningsOf } from "./warnings.ts";

/** What is known of the sources, each with what somebody should act on. */
export async function judged(
  connection: DuckDBConnection,
  sources: readonly SourceFacts[],
  config: ConfigFile,
  nowMs: number,
): Promise<SourceStatus[]> {
  const directory = await directoryWarnings(connection, undefined);
  return sources.map((facts) => {
    const settings = settingsOf(facts.source, config);
    const own = directory.filter(({ source }) => source === facts.source);
    const warnings = [...warningsOf(facts, settings, nowMs), ...own.map(({ line }) => line)];
    return { ...facts, lookback_ms: settings.lookback, warnings };
  });
}
