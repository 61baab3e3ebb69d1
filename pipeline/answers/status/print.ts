import { renderRows } from "../report/formats.ts";
import { escapeControls } from "../../base/printable.ts";
import type { DeliveryRun } from "../../core/store/delivery-runs.ts";
import { newFactsTable, type Sink } from "../report/result.ts";
import {
  formatBytes,
  countText,
  formatDuration,
  formatCount,
  wrapText,
} from "../../base/terminal/amounts.ts";
import { type Fact, type Facts, queryFacts } from "../../base/sql/facts.ts";
import type { FileFact, HomeFiles } from "./home-files.ts";
import type { LedgerFacts, SourceFacts } from "../../core/completeness/ledger-facts.ts";
import { formatCommand } from "../../base/command-line.ts";
import { formatNotice } from "../../base/notice/notice.ts";
import { findLatest, listUnfinalizedNotices } from "../../core/completeness/warnings.ts";
import { describeSurvey, listSurveyFaults } from "../../core/evidence/survey.ts";
import { formatSpaced } from "../../base/time/text.ts";
import type { DuckDBConnection } from "@duckdb/node-api";

const shownEvents = 10;

/** A source with problems for the operator to act on. */
export type SourceStatus = SourceFacts & {
  /** Whether the configuration has it, or has none: else each run of it is refused. */
  readonly is_configured: boolean;
  readonly lookback_ms: number;
  readonly warnings: readonly string[];
};
type Status = Omit<LedgerFacts, "sources"> & { readonly sources: readonly SourceStatus[] };

export function formatFiles(files: HomeFiles): string {
  const { home, published, warehouse, landing, old_store: old, evidence } = files;
  const lines = [
    ["home", escapeControls(home)],
    ["published", formatFile(published)],
    ["warehouse", formatFile(warehouse)],
    ...listOldStore(old),
    ["landing", `${formatCount(landing.files, "file")}, ${formatBytes(landing.bytes)}`],
    ...rebuildLine(landing),
    ["evidence", describeSurvey(evidence)],
    ...listSurveyFaults(evidence).map((fault) => ["", `warning: ${escapeControls(fault)}`]),
  ] as const;
  return lines.map(([label, text]) => formatLine(label!, text!)).join("");
}

function listOldStore(old: HomeFiles["old_store"]): [string, string][] {
  const formatOldStore = (bytes: number): string =>
    `${formatBytes(bytes)}, ${formatCommand("prune", "--old-store")} removes it`;
  return old === null ? [] : [["old store", formatOldStore(old.bytes)]];
}

// Where something was pruned: what a rebuild can do without the database of today.
function rebuildLine({ pruned_before: moment }: HomeFiles["landing"]): [string, string][] {
  return moment === null
    ? []
    : [["rebuild", `from landing alone only since ${formatTime(moment)}`]];
}

function formatFile(file: FileFact): string {
  return file ? `${formatBytes(file.bytes)}, written ${formatTime(file.written_at)}` : "none yet";
}

/** Writes the status for reading, within the width of the terminal. */
export async function printStatus(
  { runs, sources }: Status,
  sink: Sink,
  columns: number,
): Promise<void> {
  for (const source of sources) await printSource(source, sink, columns);
  if (sources.length === 0) await sink("\nno run yet\n");
  await writeTable("last runs", runs.map(runRow), sink, columns);
}

async function printSource(status: SourceStatus, sink: Sink, columns: number): Promise<void> {
  const { totals, warnings, lateness, quarantine } = status;
  await sink(`\nsource ${escapeControls(status.source)}\n${formatSource(status)}`);
  const { waiting } = listUnfinalizedNotices(
    status.source,
    status.unfinalized,
    status.is_configured,
  );
  for (const notice of waiting)
    await sink(`${wrapText(escapeControls(formatNotice(notice)), columns).join("\n")}\n`);
  for (const warning of warnings)
    await sink(`${wrapText(`warning: ${escapeControls(warning)}`, columns).join("\n")}\n`);
  if (lateness.length > 0)
    await writeTable("late events", lateness.slice(0, shownEvents).map(toLateRow), sink, columns);
  if (quarantine.length > 0)
    await writeTable("quarantine", quarantine.map(quarantineRow), sink, columns);
  if (totals["last_error"] !== null)
    await sink(
      `\nlast error, ${formatTime(totals["last_error_at"]!)}\n${wrapText(escapeControls(String(totals["last_error"])), columns).join("\n")}\n`,
    );
}

function formatSource(status: SourceStatus): string {
  return listSourceFacts(status)
    .map(([label, text]) => formatLine(label, text))
    .join("");
}

export function listSourceFacts(status: SourceStatus): (readonly [string, string])[] {
  const { totals, windows, gaps } = status;
  const events = Number(totals["events"]);
  const between = `, ${formatTime(totals["first_event"]!)} to ${formatTime(totals["last_event"]!)}`;
  const states = windows.map(
    (w) => `${countText(Number(w["windows"]))} ${escapeControls(String(w["state"]))}`,
  );
  return [
    ["events", `${countText(events)}${events > 0 ? between : ""}`],
    ["verified complete", formatFinal(totals)],
    ["complete through", formatTime(totals["read_up_to"]!)],
    ...listUnread(status),
    ["last success", formatTime(totals["last_success"]!, "no complete scheduled run yet")],
    ["windows", states.join(", ") || "none"],
    ["gaps", gaps.map(formatGap).join(", ") || "none"],
    ["lateness", formatLateness(status)],
    ["no longer returned", formatMissing(status)],
    ...listConflicts(totals),
  ];
}

function formatFinal({ final_from: from, final_up_to: to }: Facts): string {
  return typeof from === "string" ? `from ${formatTime(from)} to ${formatTime(to!)}` : "–";
}

function formatGap({ gap_start: start, gap_end: end, is_lost: isLost }: Facts): string {
  return `${formatTime(start!)} to ${formatTime(end!)}${isLost === true ? " (lost)" : ""}`;
}

function formatLateness(status: SourceStatus): string {
  const { source, lateness, lookback_ms: lookbackMs, is_configured: isConfigured } = status;
  const events = lateness.reduce((sum, late) => sum + Number(late["late_events"]), 0);
  const lookback = isConfigured
    ? `; sources.${escapeControls(source)}.lookback is ${formatDuration(lookbackMs / 1000)}`
    : "";
  if (events === 0) return `none seen${lookback}`;
  return `${formatCount(events, "event")}, up to ${formatDuration(findLatest(lateness) / 1000)}${lookback}`;
}

// A source that was renamed, or is read no more, stays where it was. That of a file was never read.
function listUnread({
  source,
  is_configured: isConfigured,
  windows,
}: SourceStatus): [string, string][] {
  if (isConfigured || windows.length === 0) return [];
  return [["reading", `stopped: sources.${escapeControls(source)} is not configured`]];
}

// Seldom, and then worth looking at: a log that was altered at its source shows both forms.
function listConflicts({ id_conflicts: ids }: Facts): [string, string][] {
  if (Number(ids) === 0) return [];
  return [
    ["conflicts", `${formatCount(Number(ids), "id")} with different contents; see id_conflicts`],
  ];
}

function formatMissing({ totals, vanished }: SourceStatus): string {
  const [first] = vanished;
  if (first === undefined) return "0";
  const rows = formatCount(Number(totals["vanished"]), "row");
  return `${rows} in ${formatCount(vanished.length, "window")}, the first from ${formatTime(first["window_start"]!)}`;
}

function runRow(run: Facts): Facts {
  const { source, started_at, command, outcome, seconds, fetched, inserted, quarantined } = run;
  return {
    source: source!,
    started: formatTime(started_at!).slice(0, 16),
    command: command!,
    outcome: outcome!,
    took: seconds === null ? "" : formatDuration(Number(seconds)),
    fetched: fetched!,
    new: inserted!,
    quarantined: quarantined!,
  };
}

export async function printDeliveries(
  deliveries: readonly DeliveryRun[],
  sink: Sink,
  columns: number,
): Promise<void> {
  await writeTable("last deliveries", deliveries.map(toDeliveryRow), sink, columns);
}

function toDeliveryRow(run: DeliveryRun): Facts {
  const { verb, name, target, outcome } = run;
  const finished = formatTime(run.finished_at).slice(0, 16);
  return { name, verb, target, finished, outcome, rows: formatRows(run) };
}

// Zeros rarely need a column, and eight columns do not fit a narrow terminal.
function formatRows({ accepted, refused, doubtful }: DeliveryRun): string {
  const others = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(doubtful > 0 ? [`${doubtful} uncertain`] : []),
  ];
  return [String(accepted), ...others].join(", ");
}

function toLateRow({ event_name, late_events, ...late }: Facts): Facts {
  return {
    event_name: event_name!,
    late_events: late_events!,
    median: formatDuration(Number(late["median_seconds"])),
    p99: formatDuration(Number(late["p99_seconds"])),
    max: formatDuration(Number(late["max_seconds"])),
  };
}

function quarantineRow({ reason, records, last_seen }: Facts): Facts {
  return { reason: reason!, records: records!, last_seen: formatTime(last_seen!) };
}

async function writeTable(
  title: string,
  facts: readonly Facts[],
  sink: Sink,
  columns: number,
): Promise<void> {
  if (facts.length === 0) return;
  await sink(`\n${title}\n`);
  await renderRows("table", newFactsTable(facts), sink, { columns });
}

export function formatLine(label: string, text: string): string {
  return `  ${label.padEnd(20)}${text}\n`;
}

// To the second and without the T, as people write it; all times are UTC.
function formatTime(time: Fact, otherwise = "–"): string {
  return typeof time === "string" ? formatSpaced(time.replace(/\.\d+Z$/, "Z")) : otherwise;
}

/** Reads the states of the texts of query jobs, each counted once. */
export async function readTextFacts(connection: DuckDBConnection): Promise<Facts> {
  return (await queryFacts(connection, "queries/status/texts.sql", {}))[0]!;
}

const words: readonly (readonly [string, string])[] = [
  ["parsed", "parsed"],
  ["failed", "failed"],
  ["timed_out", "took too long"],
  ["too_large", "too large"],
  ["waiting", "pending (the next runs parse them, newest first)"],
];

/** Formats the status of query texts as a line; empty without texts, or if parsing is off. */
export function formatTexts(facts: Facts, limitMs: number | undefined): string {
  const parts = words.flatMap(([name, word]) => {
    const count = Number(facts[name]);
    return count === 0 ? [] : [`${countText(count)} ${word}`];
  });
  return parts.length === 0 || limitMs === 0 ? "" : formatLine("query texts", parts.join(", "));
}
