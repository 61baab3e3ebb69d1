import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../../../../schemas/quoted.ts";
import { isOfStorage, openFault } from "../open-fault.ts";
import type { Limits } from "../limits.ts";
import { openInMemory, type Database } from "../open.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";

// What an activation remembers lies in a file of its own, attached as `state`. The published file is attached beside it
// for reading, so that neither the writer nor a reader ever waits for a delivery.

/** What makes two runs comparable. */
export type DeltaKeys = { readonly idKey: string; readonly deltaKeys: readonly string[] };

/** What deliveries before left. */
export type Memory = {
  readonly keys: DeltaKeys | undefined;
  /** The type that the ids had. */
  readonly idType: string | undefined;
  readonly hasRows: boolean;
  /** Number of the last delivery that came to its end; 0 where there is none. */
  readonly lastNumber: number;
};

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
  const [idKey, idType] = [row?.["id_key"], row?.["id_type"]];
  const keys =
    typeof idKey === "string" ? { idKey, deltaKeys: textsOf(row?.["delta_keys"]) } : undefined;
  return {
    keys,
    idType: typeof idType === "string" ? idType : undefined,
    hasRows: Number(row?.["has_rows"]) > 0,
    lastNumber: Number(row?.["last_number"]),
  };
}

/** The texts of a list; none where it is null. */
export function textsOf(value: unknown): readonly string[] {
  return (value as { items: readonly string[] } | null | undefined)?.items ?? [];
}
