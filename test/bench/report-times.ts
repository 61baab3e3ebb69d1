import type { DuckDBConnection } from "@duckdb/node-api";
import { bindValues, bindQuestion } from "../../pipeline/base/sql/bind.ts";
import { buildQuestion } from "../../pipeline/base/report/params.ts";
import { reports } from "../queries/run.ts";
import { processorSeconds } from "./measure.ts";
import { busiestSubjects, lastMonth } from "./subjects.ts";

/** What a report takes: seconds by the clock and of the processor. */
type ReportTime = {
  readonly name: string;
  readonly family: string;
  readonly seconds: number;
  readonly processorSeconds: number;
};

/** What each built-in report takes over the last 30 days, planning included; the second of two runs. */
export async function reportTimes(
  connection: DuckDBConnection,
  untilMs: number,
): Promise<ReportTime[]> {
  const subjects = await busiestSubjects(connection, untilMs);
  const times: ReportTime[] = [];
  for (const report of reports) {
    const given = lastMonth(report, untilMs, subjects);
    const { sql, values } = bindQuestion(buildQuestion(report, given, untilMs));
    let [seconds, processor] = [0, 0];
    for (let round = 0; round < 2; round++) {
      const [start, workBefore] = [performance.now(), processorSeconds()];
      const prepared = await connection.prepare(sql);
      bindValues(prepared, values);
      await prepared.runAndReadAll();
      seconds = (performance.now() - start) / 1000;
      processor = processorSeconds() - workBefore;
    }
    const { name, family } = report;
    times.push({ name, family, seconds, processorSeconds: processor });
  }
  return times;
}
