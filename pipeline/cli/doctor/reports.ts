import { messageOf } from "../../base/errors.ts";
import { compileQuestion, prepareToCompile } from "../../base/sql/select.ts";
import type { Report } from "../../answers/report/find.ts";
import { defaultQuestion } from "../../answers/report/params.ts";
import { compileConfined } from "../../answers/ask/confined.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { Database } from "../../core/store/open.ts";
import { OtherViewsError } from "../../core/store/other-views.ts";
import type { World } from "../../base/world.ts";
import { plural } from "../../base/terminal/amounts.ts";
import { fail, type Finding, ok } from "./finding.ts";

/** A database to compile on: open for the reports of the package, as a file for those of a user's own. */
export type CompileOn = {
  readonly database: Database;
  readonly file: string;
  /** What it is, for people. */
  readonly name: string;
};

/**
 * Whether each report compiles: a line for each that does not, one for all that do. The database is of no use for
 * other questions afterwards.
 */
export async function* reportFindings(
  reports: readonly Report[],
  on: CompileOn,
  settings: Settings,
  world: World,
): AsyncGenerator<Finding> {
  const { connection } = on.database;
  await prepareToCompile(connection);
  let broken = 0;
  for (const report of reports) {
    try {
      const question = defaultQuestion(report, world.now());
      if (report.isBuiltIn) await compileQuestion(connection, question);
      else await compileConfined(report, question, on.file, settings, world);
    } catch (error) {
      broken++;
      if (error instanceof OtherViewsError) return yield fail("reports", messageOf(error));
      yield fail("reports", (report.isBuiltIn ? `${report.file}: ` : "") + messageOf(error));
    }
  }
  if (broken < reports.length)
    yield ok("reports", `${plural(reports.length - broken, "report")} compile on ${on.name}`);
}
