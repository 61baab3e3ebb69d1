import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import { quotedText } from "../../../../schemas/quoted.ts";
import type { DeltaCounts } from "./compare.ts";
import { openFault } from "../open-fault.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";

/** One run, as it is recorded. Times are ISO text in UTC. */
export type ActivationRun = {
  readonly runId: string;
  readonly activation: string;
  readonly number: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly outcome: "delivered" | "partial" | "failed" | "interrupted";
  readonly allNewBecause: string | undefined;
  readonly rows: number;
  readonly counts: DeltaCounts;
  readonly accepted: number;
  readonly refused: number;
  /** Rows of which nobody knows whether they arrived. */
  readonly uncertain: number;
  readonly error: string | undefined;
};

/** Records a run in the activation's own file. */
export async function recordActivation(
  connection: DuckDBConnection,
  run: ActivationRun,
): Promise<void> {
  const { counts } = run;
  const values: Record<string, DuckDBValue> = {
    run_id: run.runId,
    activation: run.activation,
    number: run.number,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    outcome: run.outcome,
    all_new_because: run.allNewBecause ?? null,
    rows_read: run.rows,
    rows_new: counts.new,
    rows_updated: counts.updated,
    rows_deleted: counts.deleted,
    rows_unchanged: counts.unchanged,
    accepted: run.accepted,
    refused: run.refused,
    // The name of the column.
    doubtful: run.uncertain,
    error: run.error ?? null,
  };
  await runFile(connection, "queries/activation/record.sql", values);
}

/**
 * Brings the runs in an activation's file into the warehouse, where those that are there already stay. So do the rows
 * that did not arrive, as they are now. Throws AuditlakeError where the file does not open, with exit code 5 where a
 * run of the activation has it.
 */
export async function bringActivationRuns(
  connection: DuckDBConnection,
  path: string,
  activation: string,
): Promise<void> {
  await connection
    .run(`attach ${quotedText(path)} as state (read_only)`)
    .catch((error: unknown) => {
      throw openFault(path, error, "move it away; the runs in it are lost");
    });
  try {
    const rows = await queryFile(connection, "queries/activation/held.sql");
    const held = new Set(rows.map((row) => row["table_name"]));
    // A run that was killed while it made the file left none, and an earlier version knew no refused rows.
    if (held.has("activation_runs")) await runFile(connection, "queries/activation/bring.sql");
    if (held.has("refused_rows"))
      await runFile(connection, "queries/activation/bring_refused.sql", { activation });
  } finally {
    await connection.run("detach state");
  }
}
