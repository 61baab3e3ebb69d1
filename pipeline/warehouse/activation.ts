import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import { listValue } from "@duckdb/node-api";
import type { DeltaStatus } from "../../schemas/activation.ts";
import { quotedName, quotedText } from "../quoted.ts";
import { isOfStorage, openFault } from "./open-fault.ts";
import type { Limits } from "./limits.ts";
import { openInMemory, type Database } from "./open.ts";
import { queryFile, runFile } from "./statements.ts";

// What an activation remembers lies in a file of its own, attached as `state`; the published file is attached
// beside it for reading, so that neither the writer nor a reader ever waits for a delivery.

/** What makes two runs comparable. */
export type DeltaKeys = { readonly idKey: string; readonly deltaKeys: readonly string[] };

/** What the last committed run left. */
export type Memory = {
  readonly keys: DeltaKeys | undefined;
  readonly hasRows: boolean;
  /** How many runs were committed so far. */
  readonly committed: number;
};

export type Ids = {
  readonly rows: number;
  readonly withoutId: number;
  /** Numbers of two of the rows without one, from 1. */
  readonly nullRows: readonly string[];
  readonly doubled: number;
  readonly samples: readonly string[];
};

export type DeltaCounts = Readonly<Record<DeltaStatus, number>>;

/** Columns that are added to the rows to compare them. */
export const deltaColumns = ["delta_id", "delta_hash", "delta_status"] as const;

/**
 * Opens an activation's file, made where it is missing, beside the published one. Throws AuditlakeError where it does
 * not open, with exit code 5 where another program has it.
 */
export async function openActivation(
  path: string,
  published: string,
  tempFolder: string,
  limits: Limits,
): Promise<Database> {
  const database = await openInMemory(limits);
  const { connection } = database;
  try {
    await connection.run(`set temp_directory = ${quotedText(tempFolder)}`);
    await connection.run(`attach ${quotedText(path)} as state (storage_version 'v1.5.0')`);
    await connection.run(`attach ${quotedText(published)} as audit (read_only)`);
    await connection.run("use audit");
    await runFile(connection, "queries/activation/tables.sql");
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    const advice = "move it away to begin again: the next run then delivers all rows as new ones";
    throw isOfStorage(error) ? openFault(path, error, advice) : error;
  }
}

/** The tables and views that can be activated, by schema and name. */
export async function knownTables(
  connection: DuckDBConnection,
): Promise<{ readonly schema: string; readonly table: string }[]> {
  const rows = await queryFile(connection, "queries/activation/known_tables.sql");
  return rows.map((row) => ({
    schema: String(row["table_schema"]),
    table: String(row["table_name"]),
  }));
}

/** What the activation remembers. */
export async function memoryOf(connection: DuckDBConnection): Promise<Memory> {
  const [row] = await queryFile(connection, "queries/activation/keys.sql");
  const idKey = row?.["id_key"];
  const deltaKeys = row?.["delta_keys"] as { items: readonly string[] } | null | undefined;
  const keys = typeof idKey === "string" ? { idKey, deltaKeys: deltaKeys?.items ?? [] } : undefined;
  return { keys, hasRows: Number(row?.["has_rows"]) > 0, committed: Number(row?.["committed"]) };
}

/**
 * Puts the rows of this run beside those of the last one, with their id as text and a hash over the delta keys;
 * to be called inside a transaction. Without comparable rows of a last run, an empty table stands for them.
 */
export async function takeRows(
  connection: DuckDBConnection,
  sql: string,
  bindTo: (prepared: DuckDBPreparedStatement) => void,
  { idKey, deltaKeys }: DeltaKeys,
  isComparable: boolean,
): Promise<void> {
  const texts = deltaKeys.map((key) => `cast(${quotedName(key)} as varchar)`).join(", ");
  const hash = `md5_number(cast(to_json([${texts}]) as varchar))`;
  const keyed = `select *, cast(${quotedName(idKey)} as varchar) as delta_id, ${hash} as delta_hash from (${sql}\n)`;
  const prepared = await connection.prepare(`create table state.incoming as ${keyed}`);
  bindTo(prepared);
  await prepared.run();
  if (isComparable) return;
  await connection.run("drop table if exists state.previous_rows");
  await connection.run("create table state.previous_rows as select * from state.incoming limit 0");
}

/** Looks at the ids of this run. */
export async function idsOf(connection: DuckDBConnection): Promise<Ids> {
  const [row] = await queryFile(connection, "queries/activation/bad_ids.sql");
  const list = (name: string): readonly string[] =>
    (row?.[name] as { items: readonly string[] } | null | undefined)?.items ?? [];
  return {
    rows: Number(row?.["rows_read"]),
    withoutId: Number(row?.["without_id"]),
    nullRows: list("null_samples"),
    doubled: Number(row?.["doubled"]),
    samples: list("samples"),
  };
}

/** Tells the rows of both runs apart and counts the classes. */
export async function compareRuns(connection: DuckDBConnection): Promise<DeltaCounts> {
  await runFile(connection, "queries/activation/compare.sql");
  const [row] = await queryFile(connection, "queries/activation/counts.sql");
  const count = (status: DeltaStatus): number => Number(row?.[`rows_${status}`]);
  return {
    new: count("new"),
    updated: count("updated"),
    deleted: count("deleted"),
    unchanged: count("unchanged"),
  };
}

/**
 * The statement that gives the rows of a class, by their ids; deleted ones as they were in the last run, with null
 * in columns that were not there then.
 */
export function rowsOfStatus(status: DeltaStatus): string {
  const before =
    "(select * from (select * from state.incoming limit 0) union all by name select * from state.previous_rows)";
  const table = status === "deleted" ? before : "state.incoming";
  return `select r.* exclude (delta_id, delta_hash) from ${table} as r join delta as d on d.delta_id = r.delta_id where d.delta_status = '${status}' order by r.delta_id`;
}

/** Makes the rows of this run those that the next one is compared with. */
export async function rememberRows(connection: DuckDBConnection, keys: DeltaKeys): Promise<void> {
  await runFile(connection, "queries/activation/remember.sql", {
    id_key: keys.idKey,
    delta_keys: listValue([...keys.deltaKeys]),
  });
}
