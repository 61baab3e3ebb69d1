import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteText } from "../../../../schemas/quote.ts";
import { isOfStorage, openFault } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { openInMemory, type Database } from "../open.ts";
import { writeDurably } from "../../../base/home/durable.ts";
import type { Home } from "../../../base/home/layout.ts";
import { runFile } from "../../../base/sql/statements.ts";
import { count, nullable, queryRows, type Reader, text } from "../../../base/sql/typed-rows.ts";

// The state of an activation is in a file of its own, attached as `state`. The published file is attached read-only
// beside it, so that neither the writer nor a reader ever waits for a delivery.

/** Folder of what activations remember, one file each. */
export function getActivationsFolder({ root }: Home): string {
  return join(root, "activations");
}

/** The extension of the file of an activation's state. */
export const memoryExtension = ".duckdb";

export function getActivationFile(home: Home, name: string): string {
  return join(getActivationsFolder(home), `${name}${memoryExtension}`);
}

/** The file that holds the rows of a user's own report while an activation takes them; it is no memory. */
export function getRowsFile(home: Home, name: string): string {
  return join(getActivationsFolder(home), `${name}.rows`);
}

function getNumberFile(home: Home, name: string): string {
  return join(getActivationsFolder(home), `${name}.number`);
}

/** The highest number that a delivery of an activation has had, 0 before the first; to forget all else leaves it. */
export function readHighestNumber(home: Home, name: string): number {
  const path = getNumberFile(home, name);
  const number = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  return Number.isSafeInteger(number) ? number : 0;
}

/**
 * Takes the number of the delivery after number `last`. Receivers drop a message whose number they know, so a number is
 * reused only if nothing of its delivery arrived. It is durable when this resolves, in a file beside the state, which
 * may be deleted or moved.
 */
export async function takeNumber(home: Home, name: string, last: number): Promise<number> {
  const highest = readHighestNumber(home, name);
  const isGivenOn = last > 0 && highest === last + 1;
  const number = isGivenOn ? highest : Math.max(last, highest) + 1;
  await writeDurably(getNumberFile(home, name), Buffer.from(`${number}\n`));
  return number;
}

/** What makes two runs comparable. */
export type DeltaKeys = { readonly idKey: string; readonly deltaKeys: readonly string[] };

/** What deliveries before left. */
export type Memory = {
  readonly keys: DeltaKeys | undefined;
  /** The type that the ids had. */
  readonly idType: string | undefined;
  readonly hasRows: boolean;
  /** Number of the last delivery that ended; 0 before the first one. */
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
    await connection.run(`set temp_directory = ${quoteText(tempFolder)}`);
    await connection.run(`attach ${quoteText(path)} as state (storage_version 'v1.5.0')`);
    await connection.run(`attach ${quoteText(published)} as audit (read_only)`);
    await connection.run("use audit");
    await runFile(connection, "queries/activation/tables.sql");
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    const advice = "move it away to start over: the next run then delivers all rows as new";
    throw isOfStorage(error) ? openFault(path, error, advice) : error;
  }
}

const tableShape = { tableSchema: text, tableName: text };

/** The tables and views that can be activated, by schema and name. */
export async function listKnownTables(
  connection: DuckDBConnection,
): Promise<{ readonly schema: string; readonly table: string }[]> {
  const rows = await queryRows(
    connection,
    "queries/activation/memory.sql#known_tables",
    tableShape,
  );
  return rows.map(({ tableSchema: schema, tableName: table }) => ({ schema, table }));
}

/** The texts of a list; none where it is null. */
export const toTexts: Reader<readonly string[]> = (value) =>
  (value as { readonly items: readonly string[] } | null)?.items ?? [];

const keyShape = {
  idKey: nullable(text),
  deltaKeys: toTexts,
  idType: nullable(text),
  hasRows: count,
  lastNumber: count,
};

export async function readMemory(connection: DuckDBConnection): Promise<Memory> {
  const [row] = await queryRows(connection, "queries/activation/memory.sql#keys", keyShape);
  const { idKey, deltaKeys, idType, hasRows, lastNumber } = row!;
  const keys = idKey === null ? undefined : { idKey, deltaKeys };
  return { keys, idType: idType ?? undefined, hasRows: hasRows > 0, lastNumber };
}
