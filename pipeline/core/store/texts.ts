import type { DuckDBConnection } from "@duckdb/node-api";
import { runFile } from "../../base/sql/statements.ts";
import { count, nullable, oneOf, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";

// What the texts of query jobs touch, found beside the load. Each text is read once, by its hash, and what it touches
// goes to every job that runs it.

const file = "queries/texts/texts.sql";

/** An unread text; null if larger than requested. */
export type DueText = {
  readonly hash: string;
  readonly dialect: "trino" | "hive";
  readonly text: string | null;
};

/** Result of parsing a text; `tables` and `columns` by the names of the table `query_text_rows`. */
export type ReadText = {
  readonly text_hash: string;
  readonly state: "parsed" | "failed" | "timed_out" | "too_large";
  readonly statements: number;
  readonly tables: readonly object[];
  readonly columns: readonly object[];
};

const dueShape = { hash: text, dialect: oneOf(["hive", "trino"]), text: nullable(text) };

/**
 * Has all texts read again where another version of the reader read them; the others go to the jobs that wait. Resolves
 * to whether jobs still wait.
 */
export async function recordKnown(connection: DuckDBConnection, reader: number): Promise<boolean> {
  const [stale] = await queryRows(connection, `${file}#stale`, { texts: count }, { reader });
  const isStale = stale!.texts > 0;
  if (!isStale && !(await isAnyDue(connection))) return false;
  await runInTransaction(connection, async () => {
    if (isStale) await runFile(connection, `${file}#again`);
    else await applyKnown(connection);
  });
  return isAnyDue(connection);
}

async function isAnyDue(connection: DuckDBConnection): Promise<boolean> {
  const [row] = await queryRows(connection, `${file}#any`, { isDue: truth });
  return row!.isDue;
}

/** How many texts wait to be read. */
export async function countTextsLeft(connection: DuckDBConnection): Promise<number> {
  const [row] = await queryRows(connection, `${file}#left`, { texts: count });
  return row!.texts;
}

/** The next texts to be read, the newest first; of at most so many bytes each. */
export async function listDueTexts(
  connection: DuckDBConnection,
  texts: number,
  maxBytes: number,
): Promise<DueText[]> {
  const values = { texts, max_bytes: maxBytes };
  return queryRows(connection, `${file}#due`, dueShape, values);
}

/** Stores what was read and the rows of the jobs that run it, together. */
export async function storeTexts(
  connection: DuckDBConnection,
  readings: readonly ReadText[],
  reader: number,
): Promise<void> {
  if (readings.length === 0) return;
  await runInTransaction(connection, async () => {
    const values = { readings: JSON.stringify(readings), reader };
    await runFile(connection, `${file}#record`, values);
    await applyKnown(connection);
  });
}

/** Gives waiting jobs the known results of their texts; runs in the transaction that made them wait. */
export async function applyKnown(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, `${file}#apply`);
}

/** Deletes texts that no job uses any more; runs in the transaction that deleted the jobs. */
export async function forgetUnused(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, `${file}#unused`);
}
