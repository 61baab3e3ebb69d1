import { readAsset } from "../../../base/home/assets.ts";
import { requirePublished } from "../../../base/home/published.ts";
import { getMarkupText, html, type Markup } from "../../../base/html/markup.ts";
import { type Report, selectReports } from "../../../base/report/find.ts";
import { type Frame, writePageAround, writeProblem } from "../frame.ts";
import { tryPart } from "../pieces.ts";
import { describeUnknownFields } from "../search.ts";
import { withoutPage, withPageSize } from "../timeline-page.ts";
import { readQuery, type Visit } from "../visit.ts";
import { writeAnswer } from "./answer.ts";
import {
  type Entered,
  hasRange,
  readEntered,
  readSuggestions,
  writeFaults,
  writeForm,
} from "./form.ts";
import { titleFamily } from "./gallery.ts";
import { logReport } from "./rows.ts";

// Parameters of the page beside those of the report.
const viewParams = ["view", "sort"];

/** A report with its form, chart, table and SQL; the address is a permanent link. Rows come after the frame and the form. */
export async function* writeReportPage(visit: Visit, name: string): AsyncGenerator<string> {
  requirePublished(visit.site.settings.home.published);
  const [report] = selectReports(visit.site.found().reports, [name]) as [Report];
  const unknown = describeUnknownFields(readQuery(visit), [
    ...report.params.map((each) => each.name),
    ...viewParams,
  ]);
  const entered = readEntered(visit, report);
  const isAsked = entered.faults.size === 0;
  if (isAsked) logReport(visit, report, withPageSize(report, entered.given));
  const [before, after] = writePageAround(
    newFrame(visit, report, entered),
    html`${unknown ? writeProblem(unknown) : null} ${writeFaults(entered)}`,
    { scripts },
  );
  yield before;
  yield await tryPart(async () => writeForm(report, entered, await readSuggestions(visit, report)));
  if (isAsked) yield await tryPart(() => writeAnswer(visit, report, entered.given));
  yield getMarkupText(writeStatement(report));
  yield after;
}

const scripts = ["gallery", "links"].map((script) =>
  readAsset(`pipeline/adapters/serve/reports/${script}.js`),
);

function newFrame(visit: Visit, report: Report, entered: Entered): Frame {
  return {
    visit,
    page: "reports",
    title: report.title,
    subtitle: writeSubtitle(report),
    crumbs: [
      ["Reports", "/reports"],
      [titleFamily(report.family), `/reports?family=${report.family}`],
    ],
    actions: writeActions(report, entered, visit.params.get("sort")),
    range: hasRange(report),
  };
}

function writeStatement({ sql }: Report): Markup {
  return html`<details class="card fold mt12">
    <summary>SQL</summary>
    <div class="bd"><pre>${sql}</pre></div>
  </details>`;
}

function writeSubtitle({ question, grain }: Report): string {
  const rows = `${grain.slice(0, 1).toUpperCase()}${grain.slice(1)}.`;
  return question === undefined ? rows : `${question} ${rows}`;
}

function writeActions(report: Report, { given, faults }: Entered, sort: string | null): Markup {
  const { name, title } = report;
  const all = { ...withoutPage(report, given), ...(sort && { sort }) };
  const downloads = ["CSV", "Parquet"].map(
    (format) =>
      html`<a
        class="btn"
        data-download
        href="/reports/${name}/rows.${format.toLowerCase()}?${new URLSearchParams(all).toString()}"
        >${format}</a
      > `,
  );
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
    ${faults.size > 0 ? null : downloads}
    <a class="btn" href="/sql/of/${name}">Edit in SQL</a>
    <button class="btn only-w" type="button" hidden data-copies="${link}">Copy link</button>`;
}
