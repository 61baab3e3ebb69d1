import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import { settingsOf } from "../../base/home/source-settings.ts";
import { directoryWarnings } from "../../core/completeness/directory.ts";
import type { SourceFacts } from "../../core/completeness/ledger-facts.ts";
import { type Notice, sentenceOf } from "../../base/notice/notice.ts";
import type { SourceStatus } from "./print.ts";
import { warningsOf } from "../../core/completeness/warnings.ts";

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
    const isConfigured = isInConfiguration(facts.source, config);
    const found = warningsOf(facts, settings, nowMs, isConfigured);
    const all = [...found, ...own.map(({ notice }) => notice)];
    const warnings = all.map(
      (notice) => sentenceOf(notice) + refusedText(notice, facts.source, isConfigured),
    );
    return { ...facts, is_configured: isConfigured, lookback_ms: settings.lookback, warnings };
  });
}

// Whoever pastes its command would be told that nobody knows the source.
function refusedText({ command }: Notice, source: string, isConfigured: boolean): string {
  return isConfigured || command?.[0] !== "ingest"
    ? ""
    : `; that is refused before sources.${source} is configured`;
}

// Without any the environment says all of the only one.
function isInConfiguration(source: string, { sources }: ConfigFile): boolean {
  return Object.keys(sources).length === 0 || Object.hasOwn(sources, source);
}
