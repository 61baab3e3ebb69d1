import { type DuckDBConnection, type DuckDBValue, listValue } from "@duckdb/node-api";
import { quoteText, quoteName } from "../../../../schemas/quote.ts";
import { type DeltaCounts, readBothShapes } from "./compare.ts";
import { openFault } from "../fault.ts";
import { queryRows, text, count, nullable, type TypedRow } from "../../../base/sql/typed-rows.ts";
import { getActivationsFolder, memoryExtension, toTexts, type DeltaKeys } from "./memory.ts";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import type { Home } from "../../../base/home/layout.ts";
import type { DeltaStatus } from "../../../../schemas/activation.ts";
import { runFile } from "../../../base/sql/statements.ts";

/** One recorded run. Times are ISO text in UTC. */
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
  /** Rows whose arrival is unknown. */
  readonly uncertain: number;
  readonly error: string | undefined;
};

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
  await runFile(connection, "queries/activation/delivery.sql#record", values);
}

/**
 * Copies the runs in an activation's file into the warehouse, where existing ones stay, and the current rows that did
 * not arrive. Throws AuditlakeError if the file does not open, with exit code 5 if a run of the activation has it open.
 */
export async function bringActivationRuns(
  connection: DuckDBConnection,
  path: string,
  activation: string,
): Promise<void> {
  await connection.run(`attach ${quoteText(path)} as state (read_only)`).catch((error: unknown) => {
    throw openFault(path, error, "move it away; the runs in it are lost");
  });
  try {
    const rows = await queryRows(connection, "queries/activation/memory.sql#held", {
      tableName: text,
    });
    const held = new Set(rows.map(({ tableName }) => tableName));
    // A run that was killed while it made the file left none, and an earlier version knew no refused rows.
    if (held.has("activation_runs"))
      await runFile(connection, "queries/activation/delivery.sql#bring");
    if (held.has("refused_rows"))
      await runFile(connection, "queries/activation/bring_refused.sql", { activation });
  } finally {
    await connection.run("detach state");
  }
}

/**
 * Copies the runs of all activations into the warehouse. Existing rows stay; runs of a running activation follow when
 * it has ended.
 */
export async function bringAllRuns(home: Home, connection: DuckDBConnection): Promise<void> {
  const folder = getActivationsFolder(home);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((each) => each.endsWith(memoryExtension)).sort())
    await bringActivationRuns(
      connection,
      join(folder, name),
      basename(name, memoryExtension),
    ).catch((error: unknown) => {
      const isRunning = error instanceof AuditlakeError && error.exitCode === exitCode.locked;
      if (!isRunning) throw error;
    });
}

/** A delivery of an activation that is under way. */
export type StartedActivation = {
  readonly number: number;
  readonly beganAtMs: number;
  /** When it was scheduled; undefined if started by hand. */
  readonly dueMs: number | undefined;
  readonly keys: DeltaKeys;
  readonly idType: string;
  readonly allNewBecause: string | undefined;
  /** The classes that had a mapping when it started. */
  readonly mapped: readonly DeltaStatus[];
};

const startedShape = {
  number: count,
  beganAt: text,
  dueAt: nullable(text),
  idKey: text,
  idType: text,
  deltaKeys: toTexts,
  allNewBecause: nullable(text),
  mapped: toTexts,
};

/** Finds the delivery in progress; undefined if none exists. */
export async function findStartedActivation(
  connection: DuckDBConnection,
): Promise<StartedActivation | undefined> {
  const [row] = await queryRows(
    connection,
    "queries/activation/delivery.sql#started",
    startedShape,
  );
  if (row === undefined) return undefined;
  const { number, beganAt, dueAt, idKey, idType, deltaKeys, allNewBecause } = row;
  return {
    number,
    beganAtMs: Date.parse(beganAt),
    dueMs: dueAt === null ? undefined : Date.parse(dueAt),
    keys: { idKey, deltaKeys },
    idType,
    allNewBecause: allNewBecause ?? undefined,
    mapped: row.mapped as readonly DeltaStatus[],
  };
}

/** Records that a delivery is in progress; its rows are the rows compared last. */
export async function recordStartedActivation(
  connection: DuckDBConnection,
  started: StartedActivation,
): Promise<void> {
  const { number, beganAtMs, dueMs, keys, idType, allNewBecause, mapped } = started;
  await runFile(connection, "queries/activation/delivery.sql#begin", {
    number,
    began_at: new Date(beganAtMs).toISOString(),
    due_at: dueMs === undefined ? null : new Date(dueMs).toISOString(),
    id_key: keys.idKey,
    id_type: idType,
    delta_keys: listValue([...keys.deltaKeys]),
    all_new_because: allNewBecause ?? null,
    mapped: listValue([...mapped]),
  });
}

/** Deletes the delivery in progress, as if it had never started. */
export async function deleteStartedActivation(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, "queries/activation/delivery.sql#forget");
}

/** Rows of a class that did not arrive, by their numbers in it. */
export type UndeliveredRow = {
  readonly status: DeltaStatus;
  readonly state: "refused" | "uncertain" | "open";
  readonly rows: readonly { readonly row: number; readonly why: string }[];
};

const chunk = 1000;

/** Notes rows that did not arrive on the delivery that is under way. */
export async function noteMissed(
  connection: DuckDBConnection,
  { status, state, rows }: UndeliveredRow,
): Promise<void> {
  for (let at = 0; at < rows.length; at += chunk) {
    const part = rows.slice(at, at + chunk);
    await runFile(connection, "queries/activation/delivery.sql#outcomes", {
      rows: listValue(part.map(({ row }) => row)),
      reasons: listValue(part.map(({ why }) => why)),
      state,
      delta_status: status,
    });
  }
}

const droppedShape = { gone: count, changed: count };

/** Rows that had not arrived and are tried no more. */
export type DroppedRow = TypedRow<typeof droppedShape>;

/**
 * Ends the delivery in progress. Delivered rows become the state of the destination; other rows keep their previous
 * state. Call it inside a transaction.
 */
export async function endDelivery(
  connection: DuckDBConnection,
  { number, keys, idType, allNewBecause }: StartedActivation,
  delivery: string,
  triedAt: string,
): Promise<DroppedRow> {
  const [dropped] = await queryRows(
    connection,
    "queries/activation/delivery.sql#dropped",
    droppedShape,
  );
  await runFile(connection, "queries/activation/finish.sql", { delivery, tried_at: triedAt });
  await runFile(connection, "queries/activation/next_rows.sql");
  if (allNewBecause === undefined) await keepFormer(connection);
  await runFile(connection, "queries/activation/memory.sql#remember", {
    number,
    id_key: keys.idKey,
    id_type: idType,
    delta_keys: listValue([...keys.deltaKeys]),
  });
  return dropped!;
}

// If a column changed its type, the old values that can be converted stay.
async function keepFormer(connection: DuckDBConnection): Promise<void> {
  const [now, before] = await readBothShapes(connection);
  const kept = now.flatMap(({ name, type }) => {
    const former = before.find((column) => column.name === name);
    const column = quoteName(name);
    if (former === undefined) return [];
    if (former.type === type) return [column];
    return [`try_cast(cast(${column} as varchar) as ${type}) as ${column}`];
  });
  const columns = [...kept, "delta_id", "delta_hash"].join(", ");
  await connection.run(`insert into state.next_rows by name select ${columns} from rows_as_before`);
}

const refusedShape = { id: text, status: text, state: text, reason: text };

/** A row that did not arrive, as a person may see it. */
export type RefusedRow = TypedRow<typeof refusedShape>;

/** The first rows of a delivery that did not arrive. */
export async function listRefused(
  connection: DuckDBConnection,
  delivery: string,
): Promise<RefusedRow[]> {
  const path = "queries/activation/delivery.sql#refused";
  return queryRows(connection, path, refusedShape, { delivery });
}

/** Gives up all rows that did not arrive: with this content they are not retried. Returns how many. */
export async function giveUp(connection: DuckDBConnection): Promise<number> {
  return runFile(connection, "queries/activation/delivery.sql#give_up");
}
