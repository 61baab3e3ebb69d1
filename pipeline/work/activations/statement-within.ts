import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../../../schemas/quoted.ts";
import { type Statement, statementOf } from "../../base/sql/bind.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { writeTable } from "../../answers/ask/confined.ts";
import type { ActivationSource } from "./delta-source.ts";
import { removeDatabase } from "../../core/store/wal.ts";

/**
 * The statement that gives the rows to activate on the activation's own connection. A report of a user's own is run in
 * confinement first, and only its result can be read here. The statement must not reach the activation's own file.
 * Throws AuditlakeError where the report fails.
 */
export async function statementWithin(
  connection: DuckDBConnection,
  { question, report }: ActivationSource,
  path: string,
  settings: Settings,
  world: World,
): Promise<Statement> {
  if (report === undefined || report.isBuiltIn) return statementOf(question);
  removeDatabase(path);
  try {
    await writeTable(report, question, path, settings, world);
    await connection.run(`attach ${quotedText(path)} as given (read_only)`);
    return { sql: "select * from given.rows", values: {} };
  } finally {
    // The database keeps the attached file open, so it can go already: a killed run then leaves nothing behind.
    removeDatabase(path);
  }
}
