import type { Question } from "../../base/sql/question.ts";
import { statementOf } from "../../base/sql/bind.ts";
import type { Report } from "../report/find.ts";
import { reachOf } from "../report/freshness.ts";
import { copyToParquet } from "../report/render/parquet.ts";
import { runStatement } from "../../base/sql/run-statement.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { ReportEngine } from "../report/engine.ts";
import { knownQuestion, untoldBy } from "./known.ts";

/** Opens the published file in this process, for the SQL of the package itself. */
export async function openDirect({ home, config, flags }: Settings): Promise<ReportEngine> {
  const database = await openPublished(home.published, readLimits(config), flags.source);
  const { connection } = database;
  // This is asked first, since the connection is busy while rows are read.
  const reach = await reachOf(connection, flags.source);
  const untold = new Set<string>();
  const known = async (report: Report, question: Question): Promise<Question> => {
    const asked = {
      report,
      question: await knownQuestion(connection, { report, question }, flags.source),
    };
    for (const line of await untoldBy(connection, asked, flags.source)) untold.add(line);
    return asked.question;
  };
  return {
    rows: async (report, question, signal) =>
      runStatement(connection, statementOf(await known(report, question)), signal),
    parquet: async (report, question, path, limit, signal) =>
      copyToParquet(connection, statementOf(await known(report, question)), path, limit, signal),
    reach: () => ({ ...reach, untold: [...untold] }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
