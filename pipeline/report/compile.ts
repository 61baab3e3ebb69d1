import type { DuckDBConnection } from "@duckdb/node-api";
import { queryFailure } from "./failure.ts";
import type { Report } from "./find.ts";
import { statementOf } from "./params.ts";
import { withoutTerminator } from "./terminator.ts";
import { bind, prepareSelect } from "./run.ts";

/**
 * Compiles a report on a database with its defaults bound (null for what has none) and reads no row. Throws
 * AuditlakeError where the header and the statement do not fit each other or the database.
 */
export async function compileReport(
  connection: DuckDBConnection,
  report: Report,
  nowMs: number,
): Promise<void> {
  const params = report.params.map((param) => ({
    ...param,
    defaultText: param.defaultText ?? null,
  }));
  const { sql, values } = statementOf({ ...report, params }, new Map(), nowMs);
  try {
    (await prepareSelect(connection, sql)).destroySync();
    const explain = await connection.prepare(`explain ${withoutTerminator(sql)}`);
    bind(explain, values);
    await explain.run();
    explain.destroySync();
  } catch (error) {
    throw queryFailure(error);
  }
}
