import { renderRows } from "../report/formats.ts";
import { printable } from "../../base/printable.ts";
import type { DeliveryRun } from "../../core/store/delivery-runs.ts";
import { factsTable, type Sink } from "../report/result.ts";
import {
  bytesText,
  countText,
  durationText,
  plural,
  wrappedText,
} from "../../base/terminal/amounts.ts";
import { type Fact, type Facts, factsOf } from "../../base/sql/facts.ts";
import type { FileFact, HomeFiles } from "./home-files.ts";
import type { LedgerFacts, SourceFacts } from "../../core/completeness/ledger-facts.ts";
import { commandText } from "../../base/command-line.ts";
import { sentenceOf } from "../../base/notice/notice.ts";
import { latest, unfinalizedNotices } from "../../core/completeness/warnings.ts";
import { spacedText } from "../../base/time/text.ts";
import type { DuckDBConnection } from "@duckdb/node-api";

const shownEvents = 10;

/** A source with what somebody should act on. */
export type SourceStatus = SourceFacts & {
  /** Whether the configuration has it, or has none: else each run of it is refused. */
  readonly is_configured: boolean;
  readonly lookback_ms: number;
  readonly warnings: readonly string[];
};
type Status = Omit<LedgerFacts, "sources"> & { readonly sources: readonly SourceStatus[] };

/** What lies in the home directory, one line per file. */
export function filesText(files: HomeFiles): string {
  const { home, published, warehouse, landing, old_store: old } = files;
  const lines = [
    ["home", printable(home)],
    ["published", fileText(published)],
    ["warehouse", fileText(warehouse)],
    ...oldStoreLine(old),
    ["landing", `${plural(landing.files, "file")}, ${bytesText(landing.bytes)}`],
    ...rebuildLine(landing),
  ] as const;
  return lines.map(([label, text]) => line(label, text)).join("");
}

function oldStoreLine(old: HomeFiles["old_store"]): [string, string][] {
  const text = (bytes: number): string =>
    `${bytesText(bytes)}, ${commandText("prune", "--old-store")} removes it`;
  return old === null ? [] : [["old store", text(old.bytes)]];
}

// Where something was pruned: what a rebuild can do without the database of today.
function rebuildLine({ pruned_before: moment }: HomeFiles["landing"]): [string, string][] {
  return moment === null ? [] : [["rebuild", `from landing alone from ${timeText(moment)} on`]];
}

function fileText(file: FileFact): string {
  return file ? `${bytesText(file.bytes)}, written ${timeText(file.written_at)}` : "none yet";
}

/** Writes the status for reading, within the width of the terminal. */
export async function printStatus(
  { runs, sources }: Status,
  sink: Sink,
  columns: number,
): Promise<void> {
  for (const source of sources) await printSource(source, sink, columns);
  if (sources.length === 0) await sink("\nno run yet\n");
  await table("last runs", runs.map(runRow), sink, columns);
}

async function printSource(status: SourceStatus, sink: Sink, columns: number): Promise<void> {
  const { totals, warnings, lateness, quarantine } = status;
  await sink(`\nsource ${printable(status.source)}\n${sourceLines(status)}`);
  const { waiting } = unfinalizedNotices(status.source, status.unfinalized, status.is_configured);
  for (const notice of waiting)
    await sink(`${wrappedText(printable(sentenceOf(notice)), columns).join("\n")}\n`);
  for (const warning of warnings)
    await sink(`${wrappedText(`warning: ${printable(warning)}`, columns).join("\n")}\n`);
  if (lateness.length > 0)
    await table("late events", lateness.slice(0, shownEvents).map(lateRow), sink, columns);
  if (quarantine.length > 0)
    await table("quarantine", quarantine.map(quarantineRow), sink, columns);
  if (totals["last_error"] !== null)
    await sink(
      `\nlast error, ${timeText(totals["last_error_at"]!)}\n${wrappedText(printable(String(totals["last_error"])), columns).join("\n")}\n`,
    );
}

function sourceLines(status: SourceStatus): string {
  return sourceFacts(status)
    .map(([label, text]) => line(label, text))
    .join("");
}

/** What is known of a source, each with its label. */
export function sourceFacts(status: SourceStatus): (readonly [string, string])[] {
  const { totals, windows, gaps } = status;
  const events = Number(totals["events"]);
  const between = `, ${timeText(totals["first_event"]!)} to ${timeText(totals["last_event"]!)}`;
  const states = windows.map(
    (w) => `${countText(Number(w["windows"]))} ${printable(String(w["state"]))}`,
  );
  return [
    ["events", `${countText(events)}${events > 0 ? between : ""}`],
    ["verified", finalText(totals)],
    ["read up to", timeText(totals["read_up_to"]!)],
    ...unreadLine(status),
    ["last success", timeText(totals["last_success"]!, "no complete scheduled run yet")],
    ["windows", states.join(", ") || "none"],
    ["gaps", gaps.map(gapText).join(", ") || "none"],
    ["lateness", latenessText(status)],
    ["missing", missingText(status)],
    ...conflictLine(totals),
  ];
}

function finalText({ final_from: from, final_up_to: to }: Facts): string {
  return typeof from === "string" ? `from ${timeText(from)} to ${timeText(to!)}` : "nothing yet";
}

function gapText({ gap_start: start, gap_end: end, is_lost: isLost }: Facts): string {
  return `${timeText(start!)} to ${timeText(end!)}${isLost === true ? " (lost)" : ""}`;
}

function latenessText(status: SourceStatus): string {
  const { source, lateness, lookback_ms: lookbackMs, is_configured: isConfigured } = status;
  const events = lateness.reduce((sum, late) => sum + Number(late["late_events"]), 0);
  const lookback = isConfigured
    ? `; sources.${printable(source)}.lookback is ${durationText(lookbackMs / 1000)}`
    : "";
  if (events === 0) return `none seen${lookback}`;
  return `${plural(events, "event")}, up to ${durationText(latest(lateness) / 1000)}${lookback}`;
}

// A source that was renamed, or is read no more, stays where it was. That of a file was never read.
function unreadLine({
  source,
  is_configured: isConfigured,
  windows,
}: SourceStatus): [string, string][] {
  if (isConfigured || windows.length === 0) return [];
  return [["read on", `by no run: sources.${printable(source)} is not configured`]];
}

// Seldom, and then worth looking at: a log that was altered at its source shows both forms.
function conflictLine({ id_conflicts: ids }: Facts): [string, string][] {
  if (Number(ids) === 0) return [];
  return [["conflicts", `${plural(Number(ids), "id")} with several contents; see id_conflicts`]];
}

function missingText({ totals, vanished }: SourceStatus): string {
  const rows = plural(Number(totals["vanished"]), "row");
  const [first] = vanished;
  if (first === undefined) return rows;
  return `${rows} in ${plural(vanished.length, "window")}, the first from ${timeText(first["window_start"]!)}`;
}

function runRow(run: Facts): Facts {
  const { source, started_at, command, outcome, seconds, fetched, inserted, quarantined } = run;
  return {
    source: source!,
    started: timeText(started_at!).slice(0, 16),
    command: command!,
    outcome: outcome!,
    took: seconds === null ? "" : durationText(Number(seconds)),
    fetched: fetched!,
    new: inserted!,
    quarantined: quarantined!,
  };
}

/** Writes how the last run of each export and activation went. */
export async function printDeliveries(
  deliveries: readonly DeliveryRun[],
  sink: Sink,
  columns: number,
): Promise<void> {
  await table("last deliveries", deliveries.map(deliveryRow), sink, columns);
}

function deliveryRow(run: DeliveryRun): Facts {
  const { verb, name, target, outcome } = run;
  const finished = timeText(run.finished_at).slice(0, 16);
  return { name, verb, target, finished, outcome, rows: rowsText(run) };
}

// What is zero is seldom worth a column, and eight columns do not fit a narrow terminal.
function rowsText({ accepted, refused, doubtful }: DeliveryRun): string {
  const others = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(doubtful > 0 ? [`${doubtful} perhaps`] : []),
  ];
  return [String(accepted), ...others].join(", ");
}

function lateRow({ event_name, late_events, ...late }: Facts): Facts {
  return {
    event_name: event_name!,
    late_events: late_events!,
    median: durationText(Number(late["median_seconds"])),
    p99: durationText(Number(late["p99_seconds"])),
    max: durationText(Number(late["max_seconds"])),
  };
}

function quarantineRow({ reason, records, last_seen }: Facts): Facts {
  return { reason: reason!, records: records!, last_seen: timeText(last_seen!) };
}

async function table(
  title: string,
  facts: readonly Facts[],
  sink: Sink,
  columns: number,
): Promise<void> {
  if (facts.length === 0) return;
  await sink(`\n${title}\n`);
  await renderRows("table", factsTable(facts), sink, { columns });
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(14)}${text}\n`;
}

// To the second and without the T, as people write it; all times are UTC.
function timeText(time: Fact, otherwise = "nothing yet"): string {
  return typeof time === "string" ? spacedText(time.replace(/\.\d+Z$/, "Z")) : otherwise;
}

/** How the texts of query jobs stand, each counted once. */
export async function textFacts(connection: DuckDBConnection): Promise<Facts> {
  return (await factsOf(connection, "queries/status/texts.sql", {}))[0]!;
}

const words: readonly (readonly [string, string])[] = [
  ["parsed", "parsed"],
  ["failed", "failed"],
  ["timed_out", "took too long"],
  ["too_large", "too large"],
  ["waiting", "pending (the next runs parse them, newest first)"],
];

/** The same in words on a line of its own; none where there are no texts, or nobody reads them. */
export function textsLine(facts: Facts, limitMs: number | undefined): string {
  const parts = words.flatMap(([name, word]) => {
    const count = Number(facts[name]);
    return count === 0 ? [] : [`${countText(count)} ${word}`];
  });
  return parts.length === 0 || limitMs === 0 ? "" : `  query texts   ${parts.join(", ")}\n`;
}
