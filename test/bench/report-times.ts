import type { DuckDBConnection } from "@duckdb/node-api";
import { bind, statementOf } from "../../pipeline/report/bind.ts";
import type { Report } from "../../pipeline/report/find.ts";
import { type Given, questionOf } from "../../pipeline/report/params.ts";
import { reports, withNeeded } from "../queries/run.ts";
import { dayMs } from "./measure.ts";

/** Seconds that each built-in report takes over the last 30 days, planning included; the second of two runs. */
export async function reportTimes(
  connection: DuckDBConnection,
  untilMs: number,
): Promise<{ readonly name: string; readonly family: string; readonly seconds: number }[]> {
  const times: { name: string; family: string; seconds: number }[] = [];
  for (const report of reports) {
    const given = lastMonth(report, untilMs);
    const { sql, values } = statementOf(questionOf(report, withNeeded(report, given), untilMs));
    let seconds = 0;
    for (let round = 0; round < 2; round++) {
      const start = performance.now();
      const prepared = await connection.prepare(sql);
      bind(prepared, values);
      await prepared.runAndReadAll();
      seconds = (performance.now() - start) / 1000;
    }
    times.push({ name: report.name, family: report.family, seconds });
  }
  return times;
}

/** What a report is given so that it looks at the last 30 days. */
export function lastMonth(report: Report, untilMs: number): Given {
  const text = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const wanted: Readonly<Record<string, string>> = {
    since: text(untilMs - 30 * dayMs),
    until: text(untilMs),
    on: text(untilMs),
  };
  return new Map(
    report.params.flatMap(({ name }) => (name in wanted ? [[name, wanted[name]!] as const] : [])),
  );
}
