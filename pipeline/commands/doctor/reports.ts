import { compileReport, prepareToCompile } from "../../report/compile.ts";
import type { Report } from "../../report/find.ts";
import type { Database } from "../../warehouse/open.ts";
import { plural } from "../text/amounts.ts";
import { failedWith, type Finding, ok } from "./finding.ts";

/**
 * Whether each report compiles: a line for each that does not, one for all that do. The database is of no use for
 * other questions afterwards.
 */
export async function* reportFindings(
  reports: readonly Report[],
  database: Database,
  where: string,
  nowMs: number,
): AsyncGenerator<Finding> {
  await prepareToCompile(database.connection);
  let broken = 0;
  for (const report of reports) {
    try {
      await compileReport(database.connection, report, nowMs);
    } catch (error) {
      broken++;
      yield failedWith("reports", error, `${report.file}: `);
    }
  }
  if (broken < reports.length)
    yield ok("reports", `${plural(reports.length - broken, "report")} compile on ${where}`);
}
