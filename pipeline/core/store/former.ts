import { listValue, type DuckDBConnection } from "@duckdb/node-api";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { quotedText } from "../../../schemas/quoted.ts";
import { assertReadToEnd } from "../../base/sql/select.ts";
import { recordedPrunes, type RecordedPrune } from "./prune.ts";
import { readSql, runFile } from "../../base/sql/statements.ts";
import { count, queryRows, text } from "../../base/sql/typed-rows.ts";
import { makeFolders } from "../../base/home/durable.ts";

// A database of version 1, whose rule of what is one event was another. Its events become records again, and the load
// gives them their keys; its ledger is seen through views.

/** The reads that an open database of version 1 holds, each with its moment. */
export async function formerReads(connection: DuckDBConnection): Promise<Map<string, string>> {
  const shape = { readId: text, readAt: text };
  const rows = await queryRows(connection, "queries/upgrade/former.sql#reads", shape);
  return new Map(rows.map(({ readId, readAt }) => [readId, readAt]));
}

/** The prunes that an open database of version 1 knows of; the first ones knew none. */
export async function formerPrunes(connection: DuckDBConnection): Promise<RecordedPrune[]> {
  const path = "queries/upgrade/former.sql#prune_tables";
  const [row] = await queryRows(connection, path, { tables: count });
  return row!.tables === 2 ? recordedPrunes(connection, "queries/upgrade/former.sql#prunes") : [];
}

/**
 * Attaches a closed database of version 1 where a rebuild looks for the database of before. `carried` are the reads
 * that will be taken from it. Detached again when it is disposed of.
 */
export async function attachFormer(
  connection: DuckDBConnection,
  path: string,
  carried: readonly string[],
): Promise<AsyncDisposable> {
  await connection.run(`attach ${quotedText(path)} as former (read_only)`);
  await connection.run("attach ':memory:' as old");
  await runFile(connection, "queries/upgrade/views.sql");
  if (carried.length > 0)
    await runFile(connection, "queries/upgrade/moved.sql", { carried: listValue([...carried]) });
  return {
    [Symbol.asyncDispose]: async () => {
      for (const name of ["old", "former"]) await connection.run(`detach ${name}`);
    },
  };
}

/** A page of a read of version 1: its place, what the ledger says of it, and the file with its events as records. */
export type FormerPage = {
  readonly sha256: string;
  readonly bytes: number;
  readonly file: string;
};

/** Writes the events of a read as records below a folder; returns all pages of the read, in order. */
export async function writeFormerPages(
  connection: DuckDBConnection,
  readId: string,
  folder: string,
): Promise<FormerPage[]> {
  makeFolders(folder);
  const path = "queries/upgrade/former.sql#pages";
  const shape = { page: count, sha256: text, bytes: count };
  const rows = await queryRows(connection, path, shape, { read_id: readId });
  const pages = rows.map((row) => ({ ...row, file: join(folder, `${row.page}.ndjson`) }));
  for (const { page, file } of pages) await writeRecords(connection, readId, page, file);
  return pages;
}

async function writeRecords(
  connection: DuckDBConnection,
  readId: string,
  page: number,
  file: string,
): Promise<void> {
  appendFileSync(file, "", { mode: 0o600 });
  const sql = readSql("queries/upgrade/former.sql#records");
  const asked = { read_id: readId, page };
  const result = await connection.stream(sql, asked);
  for await (const records of result.yieldRows())
    appendFileSync(file, records.map(([record]) => `${String(record)}\n`).join(""));
  await assertReadToEnd(result, () => connection.run(sql, asked));
}
