import type { DuckDBConnection } from "@duckdb/node-api";
import type { Settings } from "../../base/home/settings.ts";
import { type Statement, bindQuestion } from "../../base/sql/bind.ts";
import type { Reach } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";
import { copyToParquet, runStatement } from "../../base/sql/select.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { Report } from "../../base/report/find.ts";
import { readReach } from "../report/reach.ts";
import type { ReportEngine } from "../report/engine.ts";
import { resolveQuestion, listUnknown } from "./question.ts";

/** Opens the published file in this process, for the SQL of the package itself. */
export async function openDirect(
  { home, config, flags }: Settings,
  print: (line: string) => void = () => undefined,
): Promise<ReportEngine> {
  const database = await openPublished(home.published, readLimits(config), flags.source);
  const engine = await newDirectEngine(database.connection, flags.source, print);
  return { ...engine, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/**
 * Creates an engine on a connection to the published file, which it leaves open; `print` receives notes about names in
 * queries. The reach is read first, unless it is known, since the connection is busy while rows are read.
 */
export async function newDirectEngine(
  connection: DuckDBConnection,
  source: string | undefined,
  print: (line: string) => void,
  known?: Reach,
): Promise<ReportEngine> {
  const reach = known ?? (await readReach(connection, source));
  const unknownRights = new Set<string>();
  const resolveAsked = async (report: Report, asked: Question): Promise<Statement> => {
    const question = await resolveQuestion(connection, { report, question: asked }, source, print);
    for (const line of await listUnknown(connection, { report, question }, source))
      unknownRights.add(line);
    return bindQuestion(question);
  };
  return {
    rows: async (report, question, signal) =>
      runStatement(connection, await resolveAsked(report, question), signal),
    parquet: async (report, question, path, limit, signal) =>
      copyToParquet(connection, await resolveAsked(report, question), path, limit, signal),
    reach: () => ({ ...reach, unknownRights: [...unknownRights] }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
