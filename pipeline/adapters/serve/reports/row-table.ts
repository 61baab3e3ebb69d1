import type { Content, Markup } from "../../../base/html/markup.ts";
import { html } from "../../../base/html/markup.ts";
import { writeTable } from "../../../base/html/table.ts";
import type { Report } from "../../../base/report/find.ts";
import { formatValue } from "../../../base/report/values.ts";
import type { Question } from "../../../base/sql/question.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import type { Answer } from "../../../answers/report/render/html.ts";
import { newLeads } from "../leads.ts";
import { buildPageUrl } from "../range.ts";
import { isTimeline } from "../timeline-page.ts";
import type { Visit } from "../visit.ts";
import { buildSorting, chooseOrder, readOrder } from "./sort.ts";

/** How many rows a page shows at first: more take longer than people wait for, and a link shows them. */
export const rowsAtFirst = 200;
export const rowsOfPage = 1000;

type Shown = {
  readonly report: Report;
  readonly answer: Answer;
  readonly values: Question["values"];
};

/** The rows of a report as a table; of more rows than a page shows, the headings sort on the server. */
export function writeRowTable(
  visit: Visit,
  { report, answer, values }: Shown,
  head: { readonly title: string; readonly note?: Content },
): Markup {
  const { columns, rows, count } = answer;
  const { since, until } = readRangeTexts(values);
  const isSorted = !isTimeline(report) && (rows.length < count || readOrder(visit) !== undefined);
  const order = chooseOrder(visit, report.sql);
  return writeTable({
    columns,
    rows,
    label: `Rows of: ${report.title}`,
    display: visit.display,
    leads: newLeads({ ...(since && { since }), ...(until && { until }) }),
    ...head,
    showsAll: visit.showsAllColumns,
    isEventList: columns.some(({ name }) => name === "event_time"),
    sorting: isSorted ? buildSorting(visit, order) : undefined,
    foot: writeFoot(visit, rows.length, count),
  });
}

function writeFoot(visit: Visit, shown: number, count: number): Markup {
  if (shown === count) return html`<span>${formatCount(count, "row")}</span>`;
  const more =
    visit.showsAllRows || shown >= rowsOfPage
      ? null
      : html`<a href="${buildPageUrl(visit, { show: "all" })}"
          >Show ${countText(Math.min(count, rowsOfPage))}</a
        >`;
  return html`<span>Showing ${countText(shown)} of ${countText(count)} · all rows in CSV</span
    >${more}`;
}

export function readRangeTexts(values: Question["values"]): { since?: string; until?: string } {
  const ends = ["since", "until"].flatMap((name) => {
    const value = values[name];
    return value === undefined || value.value === null ? [] : [[name, formatValue(value)] as const];
  });
  return Object.fromEntries(ends);
}
