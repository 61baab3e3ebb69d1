import type { DuckDBConnection } from "@duckdb/node-api";
import { queryFile, runFile } from "../../base/sql/statements.ts";
import { inTransaction } from "../../base/sql/transaction.ts";

// What the texts of query jobs touch, found beside the load. Each text is read once, by its hash, and what it touches
// goes to every job that runs it.

const folder = "queries/texts";

/** A text that nobody has read yet; null where it is larger than asked for. */
export type DueText = {
  readonly hash: string;
  readonly dialect: "trino" | "hive";
  readonly text: string | null;
};

/** What became of a text; `tables` and `columns` by the names of the table `query_text_rows`. */
export type ReadText = {
  readonly text_hash: string;
  readonly state: "parsed" | "failed" | "timed_out" | "too_large";
  readonly statements: number;
  readonly tables: readonly object[];
  readonly columns: readonly object[];
};

/** Has all texts read again where another version of the reader read them; the others go to the jobs that wait. */
export async function recordKnown(connection: DuckDBConnection, reader: number): Promise<void> {
  const [stale] = await queryFile(connection, `${folder}/stale.sql`, { reader });
  const [due] = await queryFile(connection, "queries/texts/any.sql");
  const isStale = Number(stale?.["texts"]) > 0;
  if (!isStale && due?.["is_due"] !== true) return;
  await inTransaction(connection, async () => {
    if (isStale) await runFile(connection, `${folder}/again.sql`);
    else await applyKnown(connection);
  });
}

/** How many texts wait to be read. */
export async function textsLeft(connection: DuckDBConnection): Promise<number> {
  const [row] = await queryFile(connection, `${folder}/left.sql`);
  return Number(row?.["texts"]);
}

/** The next texts to be read, the newest first; of at most so many bytes each. */
export async function dueTexts(
  connection: DuckDBConnection,
  texts: number,
  maxBytes: number,
): Promise<DueText[]> {
  const values = { texts, max_bytes: maxBytes };
  return (await queryFile(connection, `${folder}/due.sql`, values)).map((row) => ({
    hash: String(row["text_hash"]),
    dialect: row["dialect"] === "hive" ? "hive" : "trino",
    text: row["query_text"] === null ? null : String(row["query_text"]),
  }));
}

/** Stores what was read and the rows of the jobs that run it, together. */
export async function storeTexts(
  connection: DuckDBConnection,
  readings: readonly ReadText[],
  reader: number,
): Promise<void> {
  if (readings.length === 0) return;
  await inTransaction(connection, async () => {
    const values = { readings: JSON.stringify(readings), reader };
    await runFile(connection, `${folder}/record.sql`, values);
    await applyKnown(connection);
  });
}

/** Gives the jobs that wait what is known of their texts; in the transaction of whoever made them wait. */
export async function applyKnown(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, `${folder}/apply.sql`);
}

/** Forgets the texts that no job runs any more; in the transaction of whoever took the jobs out. */
export async function forgetUnused(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, `${folder}/unused.sql`);
}
