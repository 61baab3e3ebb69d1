import { commandText } from "../../base/command-line.ts";
import type { SourceConfig } from "../../../schemas/config.ts";
import { durationText, plural } from "../../base/terminal/amounts.ts";
import { secondText } from "../../base/time/text.ts";
import type { SourceFacts } from "./ledger-facts.ts";
import type { Reading } from "./reading.ts";
import type { Facts } from "../../base/sql/typed-rows.ts";
import { unfinalizedLines } from "./unfinalized.ts";

const hourSeconds = 3600;
const dayMs = 24 * hourSeconds * 1000;

/** What somebody should act on, each with what to do; empty where all is well. */
export function warningsOf(
  status: SourceFacts,
  settings: SourceConfig,
  nowMs: number,
  isConfigured = true,
): string[] {
  return [
    ...missedRetention(status, settings, nowMs),
    ...readingWarnings(status, settings.window, isConfigured),
    // Of one that is read no more nothing is looked back for.
    ...(isConfigured ? tooLate(status, settings) : []),
    ...lastError(status),
  ];
}

/** Says so where the reading has holes, or where nothing comes any more although it did before. */
export function readingWarnings(reading: Reading, windowMs: number, isConfigured = true): string[] {
  const { source } = reading;
  const broken = brokenBackfills(reading);
  // One command makes good all that a backfill left, but for what the service has forgotten.
  const isOwn = (from: unknown, to: unknown, beyondMs: number): boolean =>
    broken.some(
      ({ range_start: start, range_end: end }) =>
        momentOf(from) >= momentOf(start) - beyondMs && momentOf(to) <= momentOf(end) + beyondMs,
    );
  const gaps = reading.gaps.filter(
    ({ gap_start: from, gap_end: to, is_lost: isLost }) => isLost === true || !isOwn(from, to, 0),
  );
  // Its first and last windows reach beyond its range.
  const unfinalized = reading.unfinalized.filter(
    ({ reason, first_start: from, last_end: to }) =>
      reason !== "once" || !isOwn(from, to, windowMs - 1),
  );
  const { stuck } = unfinalizedLines(source, unfinalized, isConfigured);
  return [
    ...gapsInside(source, gaps),
    ...broken.map((backfill) => backfillLine(source, backfill)),
    ...stuck,
    ...silentService(reading),
  ];
}

function momentOf(text: unknown): number {
  return Date.parse(String(text));
}

/** Says so where the service has forgotten events that nobody read: they are lost for good. */
export function missedRetention(
  { source, totals }: Pick<SourceFacts, "source" | "totals">,
  { retention }: SourceConfig,
  nowMs: number,
): string[] {
  const [readUpTo, last] = [totals["read_up_to"], totals["last_success"]];
  if (retention === undefined || typeof readUpTo !== "string") return [];
  const keptFromMs = nowMs - retention;
  if (Date.parse(readUpTo) >= keptFromMs) return [];
  const age =
    typeof last === "string"
      ? `the last whole scheduled run is ${durationText((nowMs - Date.parse(last)) / 1000)} old`
      : "no scheduled run was whole so far";
  return [
    `${age}, the service keeps ${durationText(retention / 1000)}: events from ${readUpTo} to ${secondText(keptFromMs)} may be lost for good; run ${commandText("ingest", "--source", source)} now, before more are`,
  ];
}

function gapsInside(source: string, gaps: readonly Facts[]): string[] {
  const [lost, open] = [
    gaps.filter((g) => g["is_lost"] === true),
    gaps.filter((g) => g["is_lost"] !== true),
  ];
  const [first] = open;
  const range = (gap: Facts): string => `${String(gap["gap_start"])} to ${String(gap["gap_end"])}`;
  const warnings: string[] = [];
  if (lost.length > 0)
    warnings.push(
      `not read within sources.${source}.retention, as it is set now: ${lost.map(range).join(", ")}; events of that time may be lost for good; where all of it is known to be there, run ${commandText("ingest", "accept")}`,
    );
  if (first)
    warnings.push(
      `${plural(open.length, "gap")} in what was read; run ${commandText("ingest", "--source", source, "--from", String(first["gap_start"]), "--to", String(first["gap_end"]))}${open.length > 1 ? ", and so on" : ""}`,
    );
  return warnings;
}

// As long as something of what was asked for is missing.
function brokenBackfills({ gaps, backfills }: Reading): Facts[] {
  const lacks = ({ range_start: from, range_end: to }: Facts): boolean =>
    gaps.some(
      (gap) => String(gap["gap_start"]) < String(to) && String(gap["gap_end"]) > String(from),
    );
  return backfills.filter(lacks);
}

function backfillLine(
  source: string,
  { range_start: from, range_end: to, outcome }: Facts,
): string {
  return `the backfill from ${String(from)} to ${String(to)} ended ${String(outcome)}, and part of its range was not read; run ${commandText("ingest", "--source", source, "--from", String(from), "--to", String(to), "--confirm")}`;
}

// Runs are a night apart, so a day is the least that tells; people are away for longer at times.
function silentService({ source, silence, gaps }: Reading): string[] {
  if (silence === null) return [];
  const [past, usual] = [Number(silence["silent_seconds"]), Number(silence["usual_seconds"])];
  const unread = unreadSeconds(gaps, momentOf(silence["last_event"]), past);
  const silent = past - unread;
  if (silent <= Math.max(24 * hourSeconds, 2 * usual)) return [];
  const before = usual === 0 ? "" : `, where ${durationText(usual)} was the longest before`;
  return [
    `no events for ${durationText(silent)}, since ${String(silence["last_event"])}${unread > 0 ? " and but for what was not read" : ""}${before}; check that the key's user may read the whole log, and sources.${source}.audits`,
  ];
}

// What nobody read was not silent, as far as is known.
function unreadSeconds(gaps: readonly Facts[], fromMs: number, seconds: number): number {
  const toMs = fromMs + seconds * 1000;
  const lengths = gaps.map(({ gap_start: start, gap_end: end }) =>
    Math.max(0, Math.min(momentOf(end), toMs) - Math.max(momentOf(start), fromMs)),
  );
  return lengths.reduce((sum, ms) => sum + ms, 0) / 1000;
}

function tooLate({ source, lateness }: SourceFacts, { lookback }: SourceConfig): string[] {
  const latestMs = latest(lateness);
  if (latestMs <= lookback) return [];
  return [
    `events came up to ${durationText(latestMs / 1000)} late, lookback is ${durationText(lookback / 1000)}; set sources.${source}.lookback to ${Math.ceil(latestMs / dayMs) + 1}d`,
  ];
}

/** The longest that an event was late, milliseconds. */
export function latest(lateness: SourceFacts["lateness"]): number {
  return Math.max(0, ...lateness.map((late) => Number(late["max_seconds"]) * 1000));
}

function lastError({ totals }: SourceFacts): string[] {
  const { last_error_at: failedAt } = totals;
  if (typeof failedAt !== "string") return [];
  return [
    `the run of ${failedAt} had an error, and no scheduled run was whole since; see the last error`,
  ];
}
