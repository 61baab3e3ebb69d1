import type { Reach, RowCount, RowLimit, Rows } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import type { Report } from "../../base/report/find.ts";

/** Runs reports. Errors come as AuditlakeError, without the values of records. */
export type Engine = {
  /** Runs a report and streams its rows; the signal interrupts it. */
  readonly rows: (report: Report, question: Question, signal: AbortSignal) => Promise<Rows>;
  /** Writes the rows of a report as Parquet into a file that exists already, and counts them. */
  readonly parquet: (
    report: Report,
    question: Question,
    path: string,
    limit: RowLimit,
    signal: AbortSignal,
  ) => Promise<RowCount>;
  /** How far the data reaches, once something was answered; undefined where it is not known. */
  readonly reach: () => Reach | undefined;
};

/** An engine of its own; closing it ends what still runs. */
export type ReportEngine = Engine & AsyncDisposable;
