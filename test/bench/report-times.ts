import type { DuckDBConnection } from "@duckdb/node-api";
import { bind, statementOf } from "../../pipeline/base/sql/bind.ts";
import { questionOf } from "../../pipeline/base/report/params.ts";
import { reports } from "../queries/run.ts";
import { busiestSubjects, lastMonth } from "./subjects.ts";

/** Seconds that each built-in report takes over the last 30 days, planning included; the second of two runs. */
export async function reportTimes(
  connection: DuckDBConnection,
  untilMs: number,
): Promise<{ readonly name: string; readonly family: string; readonly seconds: number }[]> {
  const subjects = await busiestSubjects(connection, untilMs);
  const times: { name: string; family: string; seconds: number }[] = [];
  for (const report of reports) {
    const given = lastMonth(report, untilMs, subjects);
    const { sql, values } = statementOf(questionOf(report, given, untilMs));
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
