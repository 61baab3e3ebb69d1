import { rmSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../../schemas/quoted.ts";
import { statementOf } from "../report/bind.ts";
import type { Statement } from "../report/bound.ts";
import type { Settings } from "../home/settings.ts";
import type { World } from "../world.ts";
import { writeTable } from "../ask/confined.ts";
import type { ActivationSource } from "./delta-source.ts";

/**
 * The statement that gives the rows to activate on the activation's own connection. A report of a user's own is run in
 * confinement first, and only its result is within reach here. The activation's file holds what must not be. Throws
 * AuditlakeError where the report fails.
 */
export async function statementWithin(
  connection: DuckDBConnection,
  { question, report }: ActivationSource,
  path: string,
  settings: Settings,
  world: World,
): Promise<Statement> {
  if (report === undefined || report.isBuiltIn) return statementOf(question);
  removeRows(path);
  try {
    await writeTable(report, question, path, settings, world);
    await connection.run(`attach ${quotedText(path)} as given (read_only)`);
    return { sql: "select * from given.rows", values: {} };
  } finally {
    // What is attached stays open, and a killed run leaves less behind.
    removeRows(path);
  }
}

function removeRows(path: string): void {
  for (const file of [path, `${path}.wal`]) rmSync(file, { force: true });
}
