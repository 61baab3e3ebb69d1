import { readEvidence } from "../../../answers/findings/page-facts.ts";
import { findFinding } from "../../../answers/findings/find.ts";
import { renderRows } from "../../../answers/report/formats.ts";
import type { Sink } from "../../../answers/report/result.ts";
import type { ShownFinding } from "../../../answers/findings/show.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import type { TableColumn } from "../../../base/html/columns.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { Column, RowList } from "../../../base/rows/row.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { ask } from "../ask.ts";
import { newLeads } from "../leads.ts";
import { newSinkUntil } from "../pieces.ts";
import { buildPageUrl } from "../range.ts";
import type { Visit } from "../visit.ts";
import { getEventsUrl, getFindingDays } from "./related-cards.ts";

const titles: Readonly<Record<string, string>> = {
  event_name: "Event",
  actor: "Who",
  resource: "On",
  ip_address: "From",
  bytesize: "Size",
};

// Events below the limit are part of what was measured, and none of the evidence.
function describeCount(count: number, { measures }: ShownFinding["finding"]): string {
  const events = formatCount(count, "event");
  return count > 1 && measures !== "[]" ? `${events} since the limit was reached` : events;
}

function describeOrder({ columns, rows }: RowList): string {
  if (rows.length < 2) return "";
  const at = columns.findIndex(({ name }) => name === "bytesize");
  return rows[0]![at] === null ? ", newest first" : ", largest first";
}

/** The events of a finding that matter most, with times to the second. */
export function writeEvidenceCard(
  { finding, events }: ShownFinding,
  evidence: RowList,
  visit: Visit,
): Markup {
  const { display } = visit;
  const { columns, rows } = evidence;
  const at = columns.findIndex(({ name }) => name === "event_key");
  const within = newLeads(getFindingDays(finding));
  return writeTable({
    columns: columns.map((column) => adaptColumn(column, display)),
    rows,
    label: "Evidence",
    title: "Evidence",
    note: `${describeCount(events.length, finding)}${describeOrder(evidence)}`,
    display,
    isEventList: true,
    showsAll: visit.showsAllColumns,
    leads: (column, cell, row) =>
      column.name === "event_name" ? `/events/${String(row[at])}` : within(column, cell, row),
    foot: writeFoot(finding, { shown: rows.length, count: events.length }, visit),
  });
}

function adaptColumn(column: Column, display: Visit["display"]): TableColumn {
  const { name } = column;
  if (name === "event_time")
    return {
      ...column,
      title: `Time (${display.zone})`,
      write: (cell) => formatTime(String(cell), { ...display, seconds: true }),
    };
  // An object's name begins with its database.
  if (name === "database_name") return { ...column, isHidden: true };
  const title = titles[name];
  return title === undefined ? column : { ...column, title };
}

function writeFoot(
  finding: ShownFinding["finding"],
  { shown, count }: { readonly shown: number; readonly count: number },
  visit: Visit,
): Markup {
  const url = getEventsUrl(finding);
  const [who] = finding.subject.split("@");
  return html`<span>${countText(shown)} of ${formatCount(count, "event")}</span>
    ${shown === count || visit.showsAllRows ? null : html`<a href="${buildPageUrl(visit, { show: "all" })}">Show all</a>`}
    ${url === undefined ? null : html`<a href="${url}">All events of ${who} in this time</a>`}
    <a href="/findings/${finding.findingId}/evidence.csv">CSV</a>`;
}

/** Writes all events of a finding as CSV. Throws UsageError for an unknown id. */
export async function writeEvidenceCsv(visit: Visit, id: string, sink: Sink): Promise<void> {
  const { site, gone } = visit;
  site.asked.add("finding", id);
  await ask(site, gone, async (connection, signal) => {
    const { findingId } = await findFinding(connection, id);
    const rows = await readEvidence(connection, findingId, Number.MAX_SAFE_INTEGER, signal);
    await renderRows("csv", rows, newSinkUntil(signal, sink));
  });
}
