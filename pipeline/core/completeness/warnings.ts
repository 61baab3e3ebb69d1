import { type NotFinal, buildNotFinalCommand } from "../../base/notice/not-final.ts";
import type { SourceConfig } from "../../../schemas/config.ts";
import { type Notice, warning } from "../../base/notice/notice.ts";
import { formatSecond } from "../../base/time/text.ts";
import type { SourceFacts } from "./ledger-facts.ts";
import type { SourceReads } from "./reading.ts";
import type { Facts } from "../../base/sql/facts.ts";

const hourSeconds = 3600;
const dayMs = 24 * hourSeconds * 1000;

/** Lists the warnings that need action, each with what to do; empty if everything is in order. */
export function listWarnings(
  status: SourceFacts,
  settings: SourceConfig,
  nowMs: number,
  isConfigured = true,
): Notice[] {
  return [
    ...warnOfRetention(status, settings, nowMs),
    ...listReadWarnings(status, settings.window, isConfigured),
    // Late events do not matter for a source that is no longer read.
    ...(isConfigured ? warnOfLateEvents(status, settings) : []),
    ...warnOfLastError(status),
  ];
}

/** Says so where the reading has holes, or where nothing comes any more although it did before. */
export function listReadWarnings(
  reading: SourceReads,
  windowMs: number,
  isConfigured = true,
): Notice[] {
  const { source } = reading;
  const broken = listBrokenBackfills(reading);
  // One command makes good all that a backfill left, but for what the service has forgotten.
  const isOwn = (from: unknown, to: unknown, beyondMs: number): boolean =>
    broken.some(
      ({ range_start: start, range_end: end }) =>
        toMoment(from) >= toMoment(start) - beyondMs && toMoment(to) <= toMoment(end) + beyondMs,
    );
  const gaps = reading.gaps.filter(
    ({ gap_start: from, gap_end: to, is_lost: isLost }) => isLost === true || !isOwn(from, to, 0),
  );
  // Its first and last windows reach beyond its range.
  const unfinalized = reading.unfinalized.filter(
    ({ reason, first_start: from, last_end: to }) =>
      reason !== "once" || !isOwn(from, to, windowMs - 1),
  );
  const { stuck } = listUnfinalizedNotices(source, unfinalized, isConfigured);
  return [
    ...warnOfGaps(source, gaps),
    ...broken.map((backfill) => warnOfBackfill(source, backfill)),
    ...stuck,
    ...warnOfSilence(reading),
  ];
}

function toMoment(text: unknown): number {
  return Date.parse(String(text));
}

/** Warns if the service no longer has events that were never read: they are lost for good. */
export function warnOfRetention(
  { source, totals }: Pick<SourceFacts, "source" | "totals">,
  { retention }: SourceConfig,
  nowMs: number,
): Notice[] {
  const [readUpTo, last] = [totals["read_up_to"], totals["last_success"]];
  if (retention === undefined || typeof readUpTo !== "string") return [];
  const keptFromMs = nowMs - retention;
  if (Date.parse(readUpTo) >= keptFromMs) return [];
  const facts = {
    age_s: typeof last === "string" ? (nowMs - Date.parse(last)) / 1000 : null,
    retention_s: retention / 1000,
    from: readUpTo,
    to: formatSecond(keptFromMs),
  };
  return [warning("events_forgotten", facts, ["ingest", "--source", source])];
}

function warnOfGaps(source: string, gaps: readonly Facts[]): Notice[] {
  const toRanges = (isLost: boolean): { from: string; to: string }[] =>
    gaps
      .filter((gap) => (gap["is_lost"] === true) === isLost)
      .map(({ gap_start: from, gap_end: to }) => ({ from: String(from), to: String(to) }));
  const [lost, open] = [toRanges(true), toRanges(false)];
  const [first] = open;
  const notices: Notice[] = [];
  if (lost.length > 0)
    notices.push(warning("gaps_lost", { source, ranges: lost }, ["ingest", "accept"]));
  if (first)
    notices.push(
      warning("gaps_open", { gaps: open.length }, readAgain(source, first.from, first.to)),
    );
  return notices;
}

function readAgain(source: string, from: string, to: string): readonly string[] {
  return ["ingest", "--source", source, "--from", from, "--to", to];
}

// Applies while a part of the requested range is missing.
function listBrokenBackfills({ gaps, backfills }: SourceReads): Facts[] {
  const isIncomplete = ({ range_start: from, range_end: to }: Facts): boolean =>
    gaps.some(
      (gap) => String(gap["gap_start"]) < String(to) && String(gap["gap_end"]) > String(from),
    );
  return backfills.filter(isIncomplete);
}

function warnOfBackfill(source: string, backfill: Facts): Notice {
  const [from, to] = [String(backfill["range_start"]), String(backfill["range_end"])];
  const facts = { from, to, outcome: String(backfill["outcome"]) };
  return warning("backfill_broken", facts, [...readAgain(source, from, to), "--confirm"]);
}

// Runs are a day apart, so silence is significant from one day on; users are sometimes away for longer.
function warnOfSilence({ source, silence, gaps }: SourceReads): Notice[] {
  if (silence === null) return [];
  const [past, usual] = [Number(silence["silent_seconds"]), Number(silence["usual_seconds"])];
  const unread = countUnreadSeconds(gaps, toMoment(silence["last_event"]), past);
  const silent = past - unread;
  if (silent <= Math.max(24 * hourSeconds, 2 * usual)) return [];
  const since = String(silence["last_event"]);
  const facts = { source, silent_s: silent, usual_s: usual, since, has_unread: unread > 0 };
  return [warning("service_silent", facts)];
}

// Unread time does not count as silence.
function countUnreadSeconds(gaps: readonly Facts[], fromMs: number, seconds: number): number {
  const toMs = fromMs + seconds * 1000;
  const lengths = gaps.map(({ gap_start: start, gap_end: end }) =>
    Math.max(0, Math.min(toMoment(end), toMs) - Math.max(toMoment(start), fromMs)),
  );
  return lengths.reduce((sum, ms) => sum + ms, 0) / 1000;
}

function warnOfLateEvents({ source, lateness }: SourceFacts, { lookback }: SourceConfig): Notice[] {
  const latestMs = findLatest(lateness);
  if (latestMs <= lookback) return [];
  const days = Math.ceil(latestMs / dayMs) + 1;
  const facts = { source, late_s: latestMs / 1000, lookback_s: lookback / 1000, days };
  return [warning("events_late", facts)];
}

/** The longest that an event was late, milliseconds. */
export function findLatest(lateness: SourceFacts["lateness"]): number {
  return Math.max(0, ...lateness.map((late) => Number(late["max_seconds"]) * 1000));
}

function warnOfLastError({ totals }: SourceFacts): Notice[] {
  const { last_error_at: failedAt } = totals;
  if (typeof failedAt !== "string") return [];
  return [warning("run_had_error", { at: failedAt })];
}

/** Notices of closed windows that are not final: windows that only wait, and windows that need action. */
type UnfinalizedNotices = {
  readonly waiting: readonly Notice[];
  readonly stuck: readonly Notice[];
};

/**
 * Lists one notice for each reason why closed windows of a source are not final. No run reads the windows of an
 * unconfigured source again.
 */
export function listUnfinalizedNotices(
  source: string,
  found: readonly Facts[],
  isConfigured = true,
): UnfinalizedNotices {
  const all = found.map((facts) => toNotice(source, facts, isConfigured));
  const isWaiting = ({ facts }: Notice<"not_final">): boolean =>
    facts.is_scheduled && (facts.reason === "once" || facts.reason === "differs");
  return { waiting: all.filter(isWaiting), stuck: all.filter((one) => !isWaiting(one)) };
}

function toNotice(source: string, row: Facts, isConfigured: boolean): Notice<"not_final"> {
  const facts: NotFinal = {
    source,
    reason: String(row["reason"]),
    windows: Number(row["windows"]),
    from: String(row["first_start"]),
    to: String(row["last_end"]),
    signs: String(row["signs"]),
    is_scheduled: row["is_scheduled"] === true,
    is_configured: isConfigured,
  };
  return warning("not_final", facts, buildNotFinalCommand(facts));
}
