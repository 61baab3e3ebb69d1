import { html, type Markup } from "../../base/html/markup.ts";
import type { Row, Rows } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import type { Report } from "../../base/report/find.ts";
import { formatValue } from "../../base/report/values.ts";
import { timelines } from "./leads.ts";
import type { Query } from "./search.ts";

/** Events of a page, about: it begins with a whole second. */
const eventsOfPage = 1000;
const names: ReadonlySet<string> = new Set(Object.values(timelines));

/** Whether a report is read page by page, the newest entries first. */
export function isTimeline({ name }: Pick<Report, "name">): boolean {
  return names.has(name);
}

/** The parameters of one page: its size is limited unless the user sets it. */
export function withPageSize(report: Report, given: Query): Query {
  return isTimeline(report) ? { newest: String(eventsOfPage), ...given } : given;
}

/** The parameters of all pages together. */
export function withoutPage(report: Report, given: Query): Query {
  if (!isTimeline(report)) return given;
  const { newest: _newest, before: _before, ...whole } = given;
  return whole;
}

/** Rows that remember their first one and their number while they are read. */
export type CountedRows = {
  readonly rows: Rows;
  readonly first: () => Row | undefined;
  readonly count: () => number;
};

/** Counts rows while another function reads them. */
export function countRows(rows: Rows): CountedRows {
  let first: Row | undefined;
  let count = 0;
  async function* batches(): AsyncGenerator<readonly Row[]> {
    for await (const batch of rows.batches) {
      first ??= batch[0];
      count += batch.length;
      yield batch;
    }
  }
  return { rows: { ...rows, batches: batches() }, first: () => first, count: () => count };
}

/** The link to the entries before a full page; null where the page is the last one. */
export function earlierLink(
  report: Report,
  given: Query,
  values: Question["values"],
  { rows, first, count }: CountedRows,
): Markup | null {
  const row = first();
  if (!isTimeline(report) || row === undefined || count() < Number(values["newest"]?.value))
    return null;
  const time = String(row[rows.columns.findIndex(({ name }) => name === "event_time")]);
  const place = {
    // Relative times would move the range from page to page.
    since: formatValue(values["since"]!),
    until: formatValue(values["until"]!),
    before: time.replace(/\.\d+/, ""),
  };
  const query = new URLSearchParams({ ...given, ...place }).toString();
  return html`<p><a href="/reports/${report.name}?${query}">Earlier entries</a></p>`;
}
