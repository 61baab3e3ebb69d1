import { html, type Markup } from "../../base/html/markup.ts";
import { UsageError, getMessage } from "../../base/errors.ts";
import { selectReports, type Report } from "../../base/report/find.ts";
import { renderRows } from "../../answers/report/formats.ts";
import { describeAnswer, listReachLines } from "../../answers/report/reach.ts";
import { describeRange, readGivenParams, buildQuestion } from "../../base/report/params.ts";
import { renderAnswer } from "../../answers/report/render/html.ts";
import type { Sink } from "../../answers/report/result.ts";
import { newConfined } from "../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../answers/ask/direct-engine.ts";
import type { Question } from "../../base/sql/question.ts";
import type { Reach, Rows } from "../../base/rows/row.ts";
import { ask, writeQuietLines } from "./ask.ts";
import { newSinkUntil } from "./pieces.ts";
import { writePage } from "./frame.ts";
import { writeField, writeProblem } from "./layout.ts";
import { newLeads, timelines } from "./leads.ts";
import { type Query, describeUnknownFields } from "./search.ts";
import { countRows, earlierLink, isTimeline, withoutPage, withPageSize } from "./timeline-page.ts";
import { type Site } from "./site.ts";
import { readQuery, type Visit } from "./visit.ts";

const rowsOfPage = 1000;
// An event that changes rights is a row for each right.
const rowsOfTimeline = 10_000;
// Where a report has no range of its own.
const usualSince = "30d";

/** A report as a form of its parameters, with its answer, chart and SQL; the address is a link that stays. */
export async function reportPage(visit: Visit, name: string): Promise<string> {
  const { site, gone } = visit;
  const query = readQuery(visit);
  const [report] = selectReports(site.found().reports, [name]) as [Report];
  const given = readGiven(report, query);
  const unknown = describeUnknownFields(query, listNames(report));
  const isAsked = report.params.every((p) => p.defaultText !== undefined || given[p.name]);
  const answer = isAsked
    ? await writeAnswer(site, report, given, gone)
    : html`<p>Fill in the form.</p>`;
  const all = new URLSearchParams(withoutPage(report, given)).toString();
  const csv = `/reports/${report.name}/rows.csv?${all}`;
  return writePage(
    { visit, page: "reports", title: report.title, crumbs: [["Reports", "/reports"]] },
    html`<p class="quiet">${report.grain}</p>
      ${unknown ? writeProblem(unknown) : null}
      <form action="/reports/${report.name}" class="fields">
        ${report.params.map((p) => writeField(p.name, p.name, given[p.name] ?? "", p.defaultText ?? p.type))}
        <button>Ask</button>
      </form>
      ${writeSearchLink(report, given)} ${answer}
      ${isAsked ? html`<p><a href="${csv}">All rows as CSV</a></p>` : null}
      <details>
        <summary>SQL</summary>
        <pre>${report.sql}</pre>
        <p><a href="/sql/of/${report.name}">Change this statement</a></p>
      </details>`,
  );
}

/** Writes all rows of a report as CSV, piece by piece. */
export async function reportCsv(
  site: Site,
  name: string,
  query: Query,
  gone: AbortSignal,
  sink: Sink,
): Promise<void> {
  const [report] = selectReports(site.found().reports, [name]) as [Report];
  // Whoever asks for a file may see nothing but the file.
  const unknown = describeUnknownFields(query, listNames(report));
  if (unknown !== undefined) throw new UsageError(unknown);
  await withRows(site, report, readGiven(report, query), gone, async ({ rows, signal }) => {
    await renderRows("csv", rows, newSinkUntil(signal, sink));
  });
}

function listNames({ params }: Report): string[] {
  return params.map(({ name }) => name);
}

function readGiven({ params }: Report, query: Query): Record<string, string> {
  const given = params.flatMap(({ name }) => (query[name] ? [[name, query[name]] as const] : []));
  return Object.fromEntries(given);
}

// From a timeline to the search of the same events.
const searched = { user: "person", address: "address", resource: "object" } as const;

function writeSearchLink({ name }: Report, given: Query): Markup | null {
  for (const [kind, field] of Object.entries(searched)) {
    const subject = name === timelines[kind as keyof typeof searched] ? given[kind] : undefined;
    if (subject === undefined) continue;
    const { since, until } = given;
    const range = { ...(since && { since }), ...(until && { until }) };
    const to = new URLSearchParams({ ...range, [field]: subject }).toString();
    return html`<p><a href="/events?${to}">Search the events of ${subject}</a></p>`;
  }
  return null;
}

// What a person typed wrong is said beside the form.
async function writeAnswer(
  site: Site,
  report: Report,
  given: Query,
  gone: AbortSignal,
): Promise<Markup> {
  try {
    const page = withPageSize(report, given);
    return await withRows(site, report, page, gone, async ({ rows, values, reach, told }) => {
      const { since, until } = given;
      const own = report.params.find(({ name }) => name === "since")?.defaultText;
      const leads = newLeads({ since: since ?? own ?? usualSince, ...(until && { until }) });
      const about = describeAnswer(report, values, reach, site.world.now());
      const counted = countRows(rows);
      const most = isTimeline(report) ? rowsOfTimeline : rowsOfPage;
      const answer = await renderAnswer(counted.rows, about, most, leads, { hasPanels: true });
      const lines = [describeRange(values), ...told, ...listReachLines(reach, [values])];
      return html`${writeQuietLines(lines)} ${answer} ${earlierLink(report, given, values, counted)}`;
    });
  } catch (error) {
    if (error instanceof UsageError) return writeProblem(getMessage(error));
    throw error;
  }
}

/** An answer as it comes, and how far the data of it reaches. */
type Answer = {
  readonly rows: Rows;
  readonly values: Question["values"];
  readonly reach: Reach | undefined;
  /** Of what the question names. */
  readonly told: readonly string[];
  readonly signal: AbortSignal;
};

async function withRows<T>(
  site: Site,
  report: Report,
  given: Query,
  gone: AbortSignal,
  work: (answer: Answer) => Promise<T>,
): Promise<T> {
  const pairs = Object.entries(given).map(([name, text]) => `${name}=${text}`);
  const question = buildQuestion(report, readGivenParams({}, pairs), site.world.now());
  const { settings, world, statements } = site;
  const { source } = settings.flags;
  site.asked.add("report", `${report.name} ${pairs.join(" ")}`.trim());
  const askNow = () =>
    ask(site, gone, async (connection, signal) => {
      const told: string[] = [];
      // Whoever asks may have saved a report of their own, and is to see one source alone.
      await using engine = report.isBuiltIn
        ? await newDirectEngine(connection, source, (line) => told.push(line))
        : newConfined(settings, world, source === undefined, statements.memory);
      const rows = await engine.rows(report, question, signal);
      const { values } = question;
      return await work({ rows, values, reach: engine.reach(), told, signal });
    });
  return report.isBuiltIn ? askNow() : statements.run(askNow);
}
