import { statementOf } from "../../report/bind.ts";
import { dataUpTo } from "../../report/freshness.ts";
import { copyToParquet } from "../../report/render/parquet.ts";
import { runStatement } from "../../report/run.ts";
import type { Settings } from "../../settings.ts";
import { readLimits } from "../../warehouse/limits.ts";
import { openPublished } from "../../warehouse/open.ts";
import type { ReportEngine } from "./engine.ts";

/** Opens the published file in this process, for the SQL of the package itself. */
export async function openDirect({ home, config, flags }: Settings): Promise<ReportEngine> {
  const database = await openPublished(home.published, readLimits(config), flags.source);
  const { connection } = database;
  // Asked first, since the connection is busy while rows are read.
  const upTo = await dataUpTo(connection);
  return {
    rows: (_report, question, signal) => runStatement(connection, statementOf(question), signal),
    parquet: (_report, question, path, limit, signal) =>
      copyToParquet(connection, statementOf(question), path, limit, signal),
    dataUpTo: () => upTo,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
