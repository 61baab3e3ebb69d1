import { findPages } from "../../../answers/page-file/find.ts";
import { readAsset } from "../../../base/home/assets.ts";
import { formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import type { Report } from "../../../base/report/find.ts";
import { countText, formatCount } from "../../../base/terminal/amounts.ts";
import { formatDay } from "../../../base/time/text.ts";
import { writePage, writeProblem } from "../frame.ts";
import { buildPageUrl } from "../range.ts";
import type { Query } from "../search.ts";
import { readQuery, type Visit } from "../visit.ts";
import { isCounted, type ReportCount, type ReportCounts } from "./counts.ts";
import { addArticle, titleParam } from "./form.ts";

const familyTitles: Readonly<Record<string, string>> = { egress: "Data leaving" };
const detections = "detections";
// What an analyst reads first; families of users' own reports follow.
const familyOrder = [
  "denials",
  "permission_changes",
  "egress",
  "access",
  "people",
  "query_activity",
  "pipeline",
];

/** The reports as cards by family, with the number of rows of the last whole week. */
export function writeGallery(visit: Visit, counts: ReportCounts): string {
  const { reports, broken } = visit.site.found();
  const query = readQuery(visit);
  const shown = reports.filter((report) => isShown(report, query, counts));
  const families = [...new Set([...familyOrder, ...reports.map(({ family }) => family)])];
  const groups = Map.groupBy(shown, ({ family }) => family);
  const sections = families.map((family) => {
    const own = groups.get(family);
    return own === undefined ? null : writeFamily(family, own, counts);
  });
  return writePage(
    {
      visit,
      page: "reports",
      title: "Reports",
      subtitle: `${formatCount(reports.length, "report")} · ${describeCounts(visit, counts)}`,
      actions: html`<a class="btn" href="/reference">Event reference</a>`,
    },
    html`${broken.map((line) => writeProblem(`left out: ${line}`))}
      ${writeFilter(visit, query, families)}
      <section id="favourites" hidden>
        <div class="sech"><h2>Favourites</h2></div>
        <div class="grid g4 reps"></div>
      </section>
      ${shown.length === 0 ? writeNothing(query) : sections} ${writePages(visit, reports)}
      <p class="small muted mt16">▲ marks a detection with more rows than in the week before.</p>`,
    { scripts: [readAsset("pipeline/adapters/serve/reports/gallery.js")] },
  );
}

// Page files; the overview has its own entry in the navigation.
function writePages({ site }: Visit, reports: readonly Report[]): Markup {
  const { pages, broken } = findPages(site.queriesFolder, reports);
  const links = pages
    .filter(({ name }) => name !== "overview")
    .map(({ name, title }) => html`<li><a href="/pages/${name}">${title}</a></li>`);
  return html`<section id="pages">
    <div class="sech"><h2>Pages</h2></div>
    ${broken.map((line) => writeProblem(`left out: ${line}`))}
    <ul class="list">
      ${links}
    </ul>
  </section>`;
}

function describeCounts({ display }: Visit, { fromMs, untilMs, isComplete }: ReportCounts): string {
  const toDay = (ms: number): string => formatTimeText(formatDay(ms), display);
  const range = `rows of ${toDay(fromMs)} – ${toDay(untilMs - 1)}`;
  return isComplete ? range : `${range} are being counted; reload to see more`;
}

function isShown(report: Report, { family, q, rows }: Query, { counts }: ReportCounts): boolean {
  if (family === detections && report.detection === undefined) return false;
  if (family && family !== detections && report.family !== family) return false;
  if (rows && (counts.get(report.name)?.rows ?? 0) === 0) return false;
  const text = `${report.name} ${report.title} ${report.question} ${report.sql}`.toLowerCase();
  return (q ?? "")
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function writeFilter(visit: Visit, query: Query, families: readonly string[]): Markup {
  const { q = "", family = "", rows = "" } = query;
  const tabs = ["", detections, ...families].map((name) => {
    const href = buildPageUrl(visit, { family: name || null });
    const current = name === family ? html` aria-current="true"` : null;
    return html`<a href="${href}" ${current}>${name === "" ? "All" : titleFamily(name)}</a>`;
  });
  const others =
    family === "" ? null : html`<input type="hidden" name="family" value="${family}" />`;
  return html`<form class="row gallery" action="/reports" role="search" aria-label="Reports">
      <input
        type="search"
        name="q"
        value="${q}"
        class="grow"
        aria-label="Search reports"
        placeholder="Search by name, question, column or table"
      />
      ${others}
      <label class="row small muted"
        ><input
          type="checkbox"
          class="cb"
          name="rows"
          value="1"
          ${rows ? html` checked` : null}
        />with rows only</label
      >
      <button class="btn">Search</button>
    </form>
    <div class="seg mt8" role="group" aria-label="Family">${tabs}</div>`;
}

export function titleFamily(family: string): string {
  const text = familyTitles[family] ?? family.replaceAll("_", " ");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function writeFamily(family: string, reports: readonly Report[], { counts }: ReportCounts): Markup {
  return html`<section>
    <div class="sech">
      <h2>${titleFamily(family)}</h2>
      <span class="muted">${formatCount(reports.length, "report")}</span>
    </div>
    <div class="grid g4 reps">
      ${reports.map((report) => writeCard(report, counts.get(report.name)))}
    </div>
  </section>`;
}

function writeCard(report: Report, count: ReportCount | undefined): Markup {
  const { name, title, question, grain, detection } = report;
  return html`<div
    class="card rep"
    data-report="${name}"
    data-text="${`${name} ${title} ${question ?? ""}`.toLowerCase()}"
  >
    <h3>
      <a href="/reports/${name}">${title}</a>
      <button
        class="star"
        type="button"
        hidden
        aria-pressed="false"
        aria-label="Favourite: ${title}"
      >
        ☆
      </button>
    </h3>
    <p class="qn">${question ?? grain}</p>
    <div class="cn">
      ${writeCount(report, count)}${detection === undefined ? null : html`<span class="tag">detection</span>`}
    </div>
  </div> `;
}

function writeCount(report: Report, count: ReportCount | undefined): Markup {
  if (count === undefined)
    return html`<span>${isCounted(report) ? "…" : describeNeed(report)}</span>`;
  const { rows, before } = count;
  const hasGrown = report.detection !== undefined && before !== null && rows > before;
  const number = html`<b class="${hasGrown ? "up" : rows === 0 ? "z" : ""}"
    >${hasGrown ? "▲ " : null}${countText(rows)}</b
  >`;
  const past = before === null ? null : html`<span>week before ${countText(before)}</span>`;
  return html`${number}<span>${rows === 1 ? "row" : "rows"}</span>${past}`;
}

function describeNeed({ params, isBuiltIn }: Report): string {
  const needed = params.filter(({ defaultText }) => defaultText === undefined);
  if (needed.length > 0)
    return `asks for ${needed.map(({ name }) => addArticle(titleParam(name).toLowerCase())).join(" and ")}`;
  return isBuiltIn ? "" : "your own report";
}

function writeNothing({ q = "" }: Query): Markup {
  return html`<div class="card mt12">
    <div class="bd">
      <p>
        <b>No report matches</b>${q === "" ? null : html` “${q}”`}.
        <a href="/reports">All reports</a>
      </p>
    </div>
  </div>`;
}
