import { readAsset } from "../../../base/home/assets.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { type Report, selectReports } from "../../../base/report/find.ts";
import { formatTimeRange } from "../../../base/html/formats.ts";
import { writeTable } from "../../../base/html/table.ts";
import { formatValue } from "../../../base/report/values.ts";
import type { Question } from "../../../base/sql/question.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { describeAnswer, listReachLines } from "../../../answers/report/reach.ts";
import { type Answer, readAnswer } from "../../../answers/report/render/html.ts";
import { writePage } from "../frame.ts";
import { writeProblem } from "../layout.ts";
import { newLeads } from "../leads.ts";
import { newMarkLinks } from "../mark-links.ts";
import { describeUnknownFields, type Query } from "../search.ts";
import { countRows, earlierLink, isTimeline, withoutPage, withPageSize } from "../timeline-page.ts";
import { buildPageUrl } from "../range.ts";
import { readQuery, type Visit } from "../visit.ts";
import { type Entered, readEntered, readSuggestions, writeFaults, writeForm } from "./form.ts";
import { titleFamily } from "./gallery.ts";
import { withRows } from "./rows.ts";

// More rows take a page longer to come than people wait for; a link shows them.
const rowsAtFirst = 200;
const rowsOfPage = 1000;
// An event that changes rights is a row for each right.
const rowsOfTimeline = 10_000;

/** A report with its form, chart, table and SQL; the address is a permanent link. */
export async function writeReportPage(visit: Visit, name: string): Promise<string> {
  const { site } = visit;
  const [report] = selectReports(site.found().reports, [name]) as [Report];
  const unknown = describeUnknownFields(
    readQuery(visit),
    report.params.map((each) => each.name),
  );
  const entered = readEntered(visit, report);
  const suggestions = await readSuggestions(visit, report);
  const answer = entered.faults.size > 0 ? null : await writeAnswer(visit, report, entered.given);
  const hasRange = ["since", "until"].every((end) =>
    report.params.some((each) => each.name === end),
  );
  return writePage(
    {
      visit,
      page: "reports",
      title: report.title,
      subtitle: writeSubtitle(report),
      crumbs: [
        ["Reports", "/reports"],
        [titleFamily(report.family), `/reports?family=${report.family}`],
      ],
      actions: writeActions(report, entered),
      range: hasRange,
    },
    html`${unknown ? writeProblem(unknown) : null} ${writeFaults(entered)}
      ${writeForm(report, entered, suggestions)} ${answer}
      <details class="card fold mt12">
        <summary>SQL</summary>
        <div class="bd"><pre>${report.sql}</pre></div>
      </details>`,
    {
      scripts: ["gallery", "links"].map((script) =>
        readAsset(`pipeline/adapters/serve/reports/${script}.js`),
      ),
    },
  );
}

function writeSubtitle({ question, grain }: Report): string {
  const rows = `${grain.slice(0, 1).toUpperCase()}${grain.slice(1)}.`;
  return question === undefined ? rows : `${question} ${rows}`;
}

function writeActions(report: Report, { given, faults }: Entered): Markup {
  const { name, title } = report;
  const all = new URLSearchParams(withoutPage(report, given)).toString();
  const link = `/reports/${name}?${new URLSearchParams(given).toString()}`;
  return html`<span data-report="${name}"
      ><button
        class="btn star"
        type="button"
        hidden
        aria-pressed="false"
        aria-label="Favourite: ${title}"
      >
        ☆
      </button></span
    >
    ${faults.size > 0 ? null : html`<a class="btn" href="/reports/${name}/rows.csv?${all}">CSV</a>`}
    <a class="btn" href="/sql/of/${name}">Edit in SQL</a>
    <button class="btn only-w" type="button" hidden data-copies="${link}">Copy link</button>`;
}

async function writeAnswer(visit: Visit, report: Report, given: Query): Promise<Markup> {
  const page = withPageSize(report, given);
  return withRows(visit, report, page, async ({ rows, values, reach, notes: ownNotes }) => {
    const about = describeAnswer(report, values, reach, visit.site.world.now());
    const counted = countRows(rows);
    const most = chooseMostRows(visit, report);
    const getHref = newMarkLinks(report, readRangeTexts(values));
    const answer = await readAnswer(counted.rows, about, most, {
      hasPanels: true,
      ...(getHref && { getHref }),
    });
    const notes = [...ownNotes, ...listReachLines(reach, [values])];
    return html`${
      answer.count === 0
        ? writeNothing(visit, values, reach?.isEmpty === true)
        : writeRows(visit, report, values, answer)
    }
    ${earlierLink(report, given, values, counted)}
    ${notes.map((line) => html`<p class="small muted mt8">${line}</p>`)}`;
  });
}

// A timeline is read page by page, and its next page follows on the last row of this one.
function chooseMostRows(visit: Visit, report: Report): number {
  if (isTimeline(report)) return rowsOfTimeline;
  return visit.showsAllRows ? rowsOfPage : rowsAtFirst;
}

function writeRows(
  visit: Visit,
  report: Report,
  values: Question["values"],
  answer: Answer,
): Markup {
  const { columns, rows, count, figure } = answer;
  const { since, until } = readRangeTexts(values);
  const range =
    since === undefined || until === undefined
      ? null
      : formatTimeRange(since, until, visit.display);
  const heading = formatCount(count, "row");
  const table = writeTable({
    columns,
    rows,
    label: `Rows of: ${report.title}`,
    display: visit.display,
    leads: newLeads({ ...(since && { since }), ...(until && { until }) }),
    title: figure === undefined ? heading : "Rows",
    note: figure === undefined ? range : undefined,
    showsAll: visit.showsAllColumns,
    isEventList: columns.some(({ name }) => name === "event_time"),
    foot: writeFoot(visit, rows.length, count),
  });
  if (figure === undefined) return html`<div class="mt12">${table}</div>`;
  return html`<div class="card mt12">
      <div class="hd">
        <h2>${heading}</h2>
        <span class="muted">${range}</span>
      </div>
      <div class="bd">${figure}</div>
    </div>
    <div class="mt12">${table}</div>`;
}

function writeFoot(visit: Visit, shown: number, count: number): Markup {
  if (shown === count) return html`<span>${formatCount(count, "row")}</span>`;
  const more =
    visit.showsAllRows || shown >= rowsOfPage
      ? null
      : html`<a href="${buildPageUrl(visit, { show: "all" })}"
          >Show ${countText(Math.min(count, rowsOfPage))}</a
        >`;
  return html`<span>Showing ${countText(shown)} of ${countText(count)} · CSV has all</span>${more}`;
}

function readRangeTexts(values: Question["values"]): { since?: string; until?: string } {
  const ends = ["since", "until"].flatMap((name) => {
    const value = values[name];
    return value === undefined || value.value === null ? [] : [[name, formatValue(value)] as const];
  });
  return Object.fromEntries(ends);
}

function writeNothing(visit: Visit, values: Question["values"], isEmpty: boolean): Markup {
  const { since, until } = readRangeTexts(values);
  const text = isEmpty
    ? html`<b>No events yet.</b> Run <code>auditlake ingest</code>, then reload.`
    : since === undefined || until === undefined
      ? html`<b>No rows.</b>`
      : html`<b>No rows</b> in ${formatTimeRange(since, until, visit.display)}. Show the
          <a href="${visit.path}?${writeLonger(visit)}">last 30 days</a>.`;
  return html`<div class="card mt12">
    <div class="bd"><p>${text}</p></div>
  </div>`;
}

function writeLonger({ params }: Visit): string {
  const longer = new URLSearchParams(params);
  longer.set("since", "30d");
  longer.delete("until");
  return longer.toString();
}
