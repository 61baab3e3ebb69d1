import type { DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile } from "../../../schemas/config.ts";
import type { Leads } from "../../base/html/cells.ts";
import type { Display } from "../../base/html/formats.ts";
import type { Report } from "../../base/report/find.ts";
import { buildQuestion } from "../../base/report/params.ts";
import type { Reach, Row, Rows } from "../../base/rows/row.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import type { Question } from "../../base/sql/question.ts";
import type { Asked } from "./page-file.ts";
import type { Days } from "./days.ts";

export type PageContext = {
  /** Lends a connection to the published file. */
  readonly query: <T>(
    work: (connection: DuckDBConnection, signal: AbortSignal) => Promise<T>,
  ) => Promise<T>;
  /** Runs a report. */
  readonly answer: <T>(
    report: Report,
    question: Question,
    work: (rows: Rows) => Promise<T>,
  ) => Promise<T>;
  readonly config: ConfigFile;
  readonly source: string | undefined;
  /** The moment up to which the page reports. */
  readonly nowMs: number;
  /** Start of the range of blocks that give none, as text. */
  readonly since: string;
  readonly display: Display;
  readonly reach: Reach;
  readonly days: Days;
  /** Whether links lead somewhere: a file without a base address has none. */
  readonly isLinked: boolean;
  /** Where the cells of tables lead. */
  readonly leads: Leads;
  /** The reports that have a page of their own, by name. */
  readonly reports: ReadonlyMap<string, Report>;
};

/** Builds the question of a block. Its report ends now, or with the last whole day. */
export function buildBlockQuestion(
  { report, given }: Asked,
  { nowMs, since, days, display }: PageContext,
  end: "now" | "last whole day",
): Question {
  const isRanged = report.params.some(({ name }) => name === "since");
  const isZoned = report.params.some(({ name }) => name === "timezone");
  const values = new Map([
    ...(isRanged ? [["since", since] as const] : []),
    ...(isZoned && display.zone === "UTC" ? [["timezone", "UTC"] as const] : []),
    ...given,
  ]);
  // Rights are those of now, also in a table of whole days.
  const isMoment = report.params.some(({ name }) => name === "on");
  return buildQuestion(report, values, end === "now" || isMoment ? nowMs : days.wholeUntilMs);
}

/** The e-mail domain of most users; undefined where none is known. */
export async function readUsualDomain(connection: DuckDBConnection): Promise<string | undefined> {
  const path = "queries/pages/frame.sql#domain";
  const [usual] = await queryRows(connection, path, { domain: text });
  return usual?.domain;
}

/** Reads at most so many rows, and counts all. */
export async function readRows(
  rows: Rows,
  most = Infinity,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  const kept: Row[] = [];
  let total = 0;
  for await (const batch of rows.batches) {
    for (const row of batch.slice(0, Math.max(0, most - total))) kept.push(row);
    total += batch.length;
  }
  return { rows: kept, total };
}
