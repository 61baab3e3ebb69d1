import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { makeTemporary } from "../../../base/home/drafts.ts";
import { type Report, selectReports } from "../../../base/report/find.ts";
import { buildQuestion, readGivenParams } from "../../../base/report/params.ts";
import type { Reach, Rows } from "../../../base/rows/row.ts";
import type { Question } from "../../../base/sql/question.ts";
import { newConfined } from "../../../answers/ask/confined-engine.ts";
import { newDirectEngine } from "../../../answers/ask/direct-engine.ts";
import type { ReportEngine } from "../../../answers/report/engine.ts";
import { removeWriterVersion } from "../../../answers/report/parquet-footer.ts";
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

/** A report about to be run, with the engine that runs it. */
type Asked = {
  readonly engine: ReportEngine;
  readonly question: Question;
  /** Notes on what the parameters name, once it has run. */
  readonly notes: readonly string[];
  readonly signal: AbortSignal;
};

/** Lends the engine of a report for the time that a query may take. Throws UsageError for bad parameters. */
async function withEngine<T>(
  visit: Visit,
  report: Report,
  given: Query,
  order: Order | undefined,
  work: (asked: Asked) => Promise<T>,
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
      return await work({ engine, question, notes, signal });
    });
  return report.isBuiltIn ? askNow() : statements.run(askNow);
}

/** Runs a report and works on its rows. Throws UsageError for bad parameters. */
export async function withRows<T>(
  visit: Visit,
  report: Report,
  given: Query,
  order: Order | undefined,
  work: (answer: ReportRows) => Promise<T>,
): Promise<T> {
  return withEngine(visit, report, given, order, async ({ engine, question, notes, signal }) => {
    const rows = await engine.rows(report, question, signal);
    return await work({ rows, values: question.values, reach: engine.reach(), notes, signal });
  });
}

// Who downloads a file may see nothing but the file, so an unknown field is refused.
function readDownload(visit: Visit, name: string): { report: Report; given: Query } {
  const [report] = selectReports(visit.site.found().reports, [name]) as [Report];
  const { sort: _sort, ...query } = readQuery(visit);
  const unknown = describeUnknownFields(
    query,
    report.params.map((param) => param.name),
  );
  if (unknown !== undefined) throw new UsageError(unknown);
  const given = Object.fromEntries(Object.entries(query).filter(([, text]) => text !== ""));
  logReport(visit, report, given);
  return { report, given };
}

/** Writes all rows of a report as CSV, piece by piece, in the order of the address or of the report. */
export async function writeReportCsv(visit: Visit, name: string, sink: Sink): Promise<void> {
  const { report, given } = readDownload(visit, name);
  await withRows(visit, report, given, readOrder(visit), async ({ rows, signal }) => {
    await renderRows("csv", rows, newSinkUntil(signal, sink));
  });
}

/** Opens a Parquet file of the same rows in the same order. Nothing of it remains once it is closed. */
export async function openReportParquet(visit: Visit, name: string): Promise<FileHandle> {
  const { report, given } = readDownload(visit, name);
  const folder = makeTemporary("download");
  try {
    const path = join(folder, "rows.parquet");
    await writeFile(path, "", { mode: 0o600 });
    await withEngine(visit, report, given, readOrder(visit), ({ engine, question, signal }) =>
      engine.parquet(report, question, path, "all", signal),
    );
    await removeWriterVersion(path);
    return await open(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
