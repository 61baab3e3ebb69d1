import { UsageError } from "../../../base/errors.ts";
import { type Report, selectReports } from "../../../base/report/find.ts";
import { buildQuestion, readGivenParams } from "../../../base/report/params.ts";
import type { Reach, Rows } from "../../../base/rows/row.ts";
import type { Question } from "../../../base/sql/question.ts";
import { newConfined } from "../../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../../answers/ask/direct-engine.ts";
import { renderRows } from "../../../answers/report/formats.ts";
import type { Sink } from "../../../answers/report/result.ts";
import { ask } from "../ask.ts";
import { newSinkUntil } from "../pieces.ts";
import { isTimeline } from "../timeline-page.ts";
import { describeUnknownFields, type Query } from "../search.ts";
import { readQuery, type Visit } from "../visit.ts";
import { type Order, readOrder, sortQuestion } from "./sort.ts";

/** The rows of a report as they come, and how far the data of them reaches. */
export type ReportRows = {
  readonly rows: Rows;
  readonly values: Question["values"];
  readonly reach: Reach | undefined;
  /** Notes on what the parameters name. */
  readonly notes: readonly string[];
  readonly signal: AbortSignal;
};

/** Notes a report in the log of questions; to be called before it runs. */
export function logReport({ site }: Visit, { name }: Report, given: Query): void {
  site.asked.add("report", [name, ...listPairs(given)].join(" "));
}

function listPairs(given: Query): string[] {
  return Object.entries(given).map(([name, text]) => `${name}=${text}`);
}

/** Runs a report and works on its rows. Throws UsageError for bad parameters. */
export async function withRows<T>(
  visit: Visit,
  report: Report,
  given: Query,
  order: Order | undefined,
  work: (answer: ReportRows) => Promise<T>,
): Promise<T> {
  const { site, gone } = visit;
  const plain = buildQuestion(report, readGivenParams({}, listPairs(given)), site.world.now());
  const question = isTimeline(report) ? plain : sortQuestion(plain, order);
  const { settings, world, statements } = site;
  const { source } = settings.flags;
  const askNow = (): Promise<T> =>
    ask(site, gone, async (connection, signal) => {
      const notes: string[] = [];
      // A report of the user's own is confined, and sees one source alone.
      await using engine = report.isBuiltIn
        ? await newDirectEngine(connection, source, (line) => notes.push(line))
        : newConfined(settings, world, source === undefined, statements.memory);
      const rows = await engine.rows(report, question, signal);
      const { values } = question;
      return await work({ rows, values, reach: engine.reach(), notes, signal });
    });
  return report.isBuiltIn ? askNow() : statements.run(askNow);
}

/** Writes all rows of a report as CSV, piece by piece. */
export async function writeReportCsv(visit: Visit, name: string, sink: Sink): Promise<void> {
  const [report] = selectReports(visit.site.found().reports, [name]) as [Report];
  const query = readQuery(visit);
  const names = report.params.map((param) => param.name);
  // Who downloads a file may see nothing but the file.
  const unknown = describeUnknownFields(query, names);
  if (unknown !== undefined) throw new UsageError(unknown);
  const given = Object.fromEntries(Object.entries(query).filter(([, text]) => text !== ""));
  logReport(visit, report, given);
  await withRows(visit, report, given, readOrder(visit), async ({ rows, signal }) => {
    await renderRows("csv", rows, newSinkUntil(signal, sink));
  });
}
