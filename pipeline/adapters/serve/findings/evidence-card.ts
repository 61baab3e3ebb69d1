import type { readEvidence } from "../../../answers/findings/page-facts.ts";
import type { ShownFinding } from "../../../answers/findings/show.ts";
import { formatTime } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { newLeads } from "../leads.ts";
import type { Visit } from "../visit.ts";
import { getFindingDays } from "./links.ts";

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
  return count > 1 && measures !== "[]" ? `${events} from the one that reached the limit` : events;
}

/** The events of a finding as a table, with times to the second. */
export function writeEvidenceCard(
  { finding, events }: ShownFinding,
  evidence: Awaited<ReturnType<typeof readEvidence>>,
  visit: Visit,
): Markup {
  const { display } = visit;
  const at = evidence.columns.findIndex(({ name }) => name === "event_key");
  const within = newLeads(getFindingDays(finding));
  const columns = evidence.columns.map((column) => {
    if (column.name === "event_time")
      return {
        ...column,
        title: `Time (${display.zone})`,
        write: (cell: unknown) => formatTime(String(cell), { ...display, seconds: true }),
      };
    const title = titles[column.name];
    return title === undefined ? column : { ...column, title };
  });
  const count = events.length;
  const isCut = count > evidence.rows.length;
  return writeTable({
    columns,
    rows: evidence.rows,
    label: "Evidence",
    title: "Evidence",
    note: describeCount(count, finding),
    display,
    isEventList: true,
    showsAll: visit.showsAllColumns,
    leads: (column, cell, row) =>
      column.name === "event_name" ? `/events/${String(row[at])}` : within(column, cell, row),
    ...(isCut
      ? { foot: html`<span>The first ${evidence.rows.length} of ${countText(count)} events</span>` }
      : {}),
  });
}
