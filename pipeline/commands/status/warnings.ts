import { configSchema, type ConfigFile, type SourceConfig } from "../../../schemas/config.ts";
import { durationText, plural } from "../text/amounts.ts";
import type { SourceFacts } from "./facts.ts";

const dayMs = 86_400_000;

/** The settings of a source; one that is configured no longer, or never was, goes by the defaults. */
export function settingsOf(name: string, { sources }: ConfigFile): SourceConfig {
  return sources[name] ?? configSchema.parse({ sources: { default: {} } }).sources["default"]!;
}

/** What somebody should act on, each with what to do; empty where all is well. */
export function warningsOf(status: SourceFacts, settings: SourceConfig, nowMs: number): string[] {
  return [
    ...missedRetention(status, settings, nowMs),
    ...gapsInside(status),
    ...tooLate(status, settings),
    ...lastRunFailed(status),
  ];
}

/** Says so where the service has forgotten events that nobody read: they are lost for good. */
export function missedRetention(
  { source, totals }: SourceFacts,
  { retention }: SourceConfig,
  nowMs: number,
): string[] {
  const last = totals["last_success"];
  if (retention === undefined || typeof last !== "string") return [];
  const ageMs = nowMs - Date.parse(last);
  if (ageMs <= retention) return [];
  return [
    `the last successful ingest is ${durationText(ageMs / 1000)} old, the service keeps ${durationText(retention / 1000)}: events may be lost for good; run auditlake ingest --source ${source} now`,
  ];
}

function gapsInside({ source, gaps }: SourceFacts): string[] {
  const [first] = gaps;
  if (!first) return [];
  return [
    `${plural(gaps.length, "gap")} in what was read; run auditlake ingest --source ${source} --from ${String(first["gap_start"])} --to ${String(first["gap_end"])}${gaps.length > 1 ? ", and so on" : ""}`,
  ];
}

function tooLate({ source, lateness }: SourceFacts, { lookback }: SourceConfig): string[] {
  const latestMs = Math.max(0, ...lateness.map((l) => Number(l["max_seconds"]) * 1000));
  if (latestMs <= lookback) return [];
  return [
    `events came up to ${durationText(latestMs / 1000)} late, lookback is ${durationText(lookback / 1000)}; set sources.${source}.lookback to ${Math.ceil(latestMs / dayMs) + 1}d`,
  ];
}

function lastRunFailed({ totals }: SourceFacts): string[] {
  const { last_success: success, last_error_at: failedAt } = totals;
  if (typeof failedAt !== "string") return [];
  if (typeof success === "string" && Date.parse(success) >= Date.parse(failedAt)) return [];
  return [`the last run failed at ${failedAt}; see the last error`];
}
