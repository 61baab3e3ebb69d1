import type { DuckDBConnection } from "@duckdb/node-api";
import { runFile } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { World } from "../../base/world.ts";
import type { Detection } from "./detections.ts";

const file = "queries/detect/findings.sql";
const steps = [
  "retire",
  "grouped",
  "found",
  "suppressed",
  "decided",
  "moved",
  "current",
  "withdrawn",
  "counted",
  "replace",
  "evidence",
  "forget",
];

/** Brings findings up to date with the hits and the decisions that the database has. */
export async function updateFindings(
  connection: DuckDBConnection,
  detections: readonly Detection[],
  { runId, world }: { readonly runId: string; readonly world: Pick<World, "now"> },
): Promise<void> {
  await runFile(connection, `${file}#forms`);
  const appender = await connection.createAppender("detection_forms", "main", "temp");
  for (const { name, severity, report, form } of detections) {
    for (const value of [name, severity, report.title, form.subject.kind, form.attack.join(", ")])
      appender.appendVarchar(value);
    if (form.runbook === undefined) appender.appendNull();
    else appender.appendVarchar(form.runbook);
    appender.appendBigInt(BigInt(form.groupMs));
    appender.endRow();
  }
  appender.closeSync();
  const values = { now: toTimestamp(world.now()), run_id: runId };
  await runInTransaction(connection, async () => {
    for (const step of steps) await runFile(connection, `${file}#${step}`, values);
  });
}
