import type { DuckDBConnection } from "@duckdb/node-api";
import { findReports, type Report } from "../../pipeline/base/report/find.ts";
import { prepareSelect } from "../../pipeline/base/sql/gate.ts";
import { bindValues, bindQuestion } from "../../pipeline/base/sql/bind.ts";
import {
  listMissingParams,
  buildQuestion,
  type GivenValues,
} from "../../pipeline/base/report/params.ts";

/** The reports that come with the package; nothing here depends on the present moment. */
export const reports: readonly Report[] = findReports().reports;

export type ReportResult = {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
};

/**
 * Runs a report with its parameters bound as texts; the defaults of the rest must not depend on now. Required
 * parameters without a value are `nobody`.
 */
export async function runReport(
  connection: DuckDBConnection,
  report: Report,
  given: GivenValues,
): Promise<ReportResult> {
  const { sql, values } = bindQuestion(buildQuestion(report, withNeeded(report, given), 0));
  const prepared = await prepareSelect(connection, sql);
  bindValues(prepared, values);
  const reader = await prepared.runAndReadAll();
  return { columns: reader.columnNames(), rows: reader.getRowObjectsJson() };
}

/** Adds `nobody` for each parameter that the report requires, and a network without users. */
export function withNeeded(report: Report, given: GivenValues): GivenValues {
  const needed = listMissingParams(report, given).map(
    ({ name }) => [name, name === "networks" ? "192.0.2.0/24" : "nobody"] as const,
  );
  return new Map([...given, ...needed]);
}
