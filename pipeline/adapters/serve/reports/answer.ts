import { formatTimeRange, formatTimeText } from "../../../base/html/formats.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import type { Report } from "../../../base/report/find.ts";
import { readMoment } from "../../../base/report/values.ts";
import { formatCount } from "../../../base/terminal/amounts.ts";
import type { Question } from "../../../base/sql/question.ts";
import { formatAmount } from "../../../answers/chart/scale.ts";
import { placeAlong } from "../../../answers/chart/places.ts";
import { describeAnswer } from "../../../answers/report/reach.ts";
import { buildFigure, type FigureOptions } from "../../../answers/report/render/figure.ts";
import { type Answer, readAnswer } from "../../../answers/report/render/html.ts";
import type { About } from "../../../answers/report/result.ts";
import { listUnreadWithin } from "../../../answers/report/unread.ts";
import { addStackFilter, newMarkLinks } from "../mark-links.ts";
import { buildPageUrl } from "../range.ts";
import type { Query } from "../search.ts";
import { countRows, earlierLink, isTimeline, withPageSize } from "../timeline-page.ts";
import type { Visit } from "../visit.ts";
import { chooseOrder } from "./sort.ts";
import { type DayStack, writeDayTable } from "./day-table.ts";
import { withRows } from "./rows.ts";
import { readRangeTexts, rowsAtFirst, rowsOfPage, writeRowTable } from "./row-table.ts";

// An event that changes rights is a row for each right.
const rowsOfTimeline = 10_000;

export async function writeAnswer(visit: Visit, report: Report, given: Query): Promise<Markup> {
  const page = withPageSize(report, given);
  const order = chooseOrder(visit, report.sql);
  return withRows(visit, report, page, order, async ({ rows, values, reach, notes: ownNotes }) => {
    const about = describeAnswer(report, values, reach, visit.site.world.now());
    const counted = countRows(rows);
    const getHref = newMarkLinks(report, readRangeTexts(values));
    const options: FigureOptions = {
      panels: visit.params.get("view") === "side" ? "alone" : "below",
      domain: visit.display.domain,
      ...(getHref && { getHref }),
    };
    const answer = await readAnswer(counted.rows, about, chooseMostRows(visit, report), options);
    const unread =
      reach === undefined
        ? []
        : [...listUnreadWithin(reach, [values]), ...(reach.unknownRights ?? [])];
    return html`${
      answer.count === 0
        ? writeNothing(visit, values, reach?.isEmpty === true)
        : writeParts(visit, report, { values, about, answer, options })
    }
    ${earlierLink(report, given, values, counted)}
    ${[...ownNotes, ...unread].map((line) => html`<p class="small muted mt8">${writeNote(line, visit)}</p>`)}`;
  });
}

// A timeline is read page by page, and its next page follows on the last row of this one.
function chooseMostRows(visit: Visit, report: Report): number {
  if (isTimeline(report)) return rowsOfTimeline;
  return visit.showsAllRows ? rowsOfPage : rowsAtFirst;
}

// Notes are written for terminals; a page shows sentences, and times as everywhere else. Names are left unchanged.
function writeNote(line: string, { display }: Visit): string {
  const text = line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    formatTimeText(time, display),
  );
  const startsWithName = /^\w+: /.test(text);
  return startsWithName ? `${text}.` : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

type Parts = {
  readonly values: Question["values"];
  readonly about: About;
  readonly answer: Answer;
  readonly options: FigureOptions;
};

function writeParts(visit: Visit, report: Report, parts: Parts): Markup {
  const { values, answer } = parts;
  const { figure } = answer;
  const range = writeRange(visit, values);
  const table = { report, answer, values };
  if (figure === undefined)
    return html`<div class="mt12">
      ${writeRowTable(visit, table, { title: formatCount(answer.count, "row"), note: range })}
    </div>`;
  const view = visit.params.get("view") ?? "";
  const drawable = buildFigure(parts.about, answer.columns, answer.points, parts.options);
  const hasKinds = drawable?.type === "bars" && drawable.chart.series.length > 3;
  const head = html`<div class="hd">
    <h2>${writeTotal(parts)}</h2>
    <span class="muted">${range}</span><span class="sp"></span>${writeViews(visit, view, hasKinds)}
  </div>`;
  if (view === "table")
    return html`<div class="card mt12">
        ${head}
        <div class="bd"></div>
      </div>
      <div class="mt12">${writeRowTable(visit, table, { title: "Rows" })}</div>`;
  const stack = findDayStack(visit, report, parts, drawable);
  return html`<div class="card mt12">
      ${head}
      <div class="bd">${figure}</div>
    </div>
    <div class="mt12">
      ${stack === undefined ? writeRowTable(visit, table, { title: "Rows" }) : writeDayTable(stack, visit.display)}
    </div>`;
}

// What the bars add up to; of other marks the sum may mean nothing.
function writeTotal({ about, answer }: Parts): string {
  const { chart } = about;
  const rows = formatCount(answer.count, "row");
  if (chart === undefined || answer.points === undefined || chart.y === "rows") return rows;
  if (chart.unit === undefined) return rows;
  const total = answer.points.reduce((sum, { y }) => sum + y, 0);
  if (chart.unit !== "count") return formatAmount(total, chart.unit);
  return `${formatAmount(total)} ${total === 1 ? chart.y.replace(/s$/, "") : chart.y.replaceAll("_", " ")}`;
}

function writeViews(visit: Visit, view: string, hasKinds: boolean): Markup {
  const views = hasKinds
    ? [["", "Stacked"] as const, ["side", "Side by side"] as const, ["table", "Table"] as const]
    : [["", "Chart"] as const, ["table", "Table"] as const];
  return html`<div class="seg" role="group" aria-label="View">
    ${views.map(
      ([name, label]) =>
        html`<a
          href="${buildPageUrl(visit, { view: name || null })}"
          ${name === view ? html` aria-current="true"` : null}
          >${label}</a
        >`,
    )}
  </div>`;
}

// Of several sources a kind is a series for each, which events are not filtered by.
function findDayStack(
  { facts }: Visit,
  report: Report,
  { about, answer }: Parts,
  drawable: ReturnType<typeof buildFigure>,
): DayStack | undefined {
  const { chart: form, lastDay } = about;
  if (form?.stack === undefined || drawable?.type !== "bars") return undefined;
  const { xs, areDays } = placeAlong(form, "time", answer.points!, lastDay);
  if (!areDays) return undefined;
  const stack = { chart: drawable.chart, days: xs };
  if ((facts?.sources?.length ?? 0) > 1) return stack;
  return {
    ...stack,
    getHref: (dayHref, value) => addStackFilter(report, dayHref, value),
  };
}

function writeRange({ display }: Visit, values: Question["values"]): Markup | null {
  const { since, until } = readRangeTexts(values);
  return since === undefined || until === undefined ? null : formatTimeRange(since, until, display);
}

const longMs = 30 * 86_400_000;

function writeNothing(visit: Visit, values: Question["values"], isEmpty: boolean): Markup {
  const range = writeRange(visit, values);
  const text = isEmpty
    ? html`<b>No events yet.</b> Run <code>auditlake ingest</code>, then reload.`
    : range === null
      ? html`<b>No rows.</b>`
      : html`<b>No rows</b> in ${range}. ${isShort(values) ? writeLonger(visit) : null}`;
  return html`<div class="card mt12">
    <div class="bd"><p>${text}</p></div>
  </div>`;
}

function isShort({ since, until }: Question["values"]): boolean {
  const [from, to] = [since && readMoment(since), until && readMoment(until)];
  return typeof from === "number" && typeof to === "number" && to - from < longMs;
}

function writeLonger(visit: Visit): Markup {
  return html`Show the
    <a href="${buildPageUrl(visit, { since: "30d", until: null })}">last 30 days</a>.`;
}
