import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import { foldAll, noteDue } from "./derived.ts";
import { defineIncoming, insertIncoming } from "./loading/insert.ts";
import type { ReadFacts } from "./loading/read-facts.ts";
import {
  foldRest,
  noteKept,
  type PruneScope,
  type RecordedPrune,
  listRecordedPrunes,
} from "./prune.ts";
import { queryFile, readSql, runFile, getText } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { count, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import { assertReadToEnd } from "../../base/sql/select.ts";
import { makeFolders } from "../../base/home/durable.ts";

// From one database into another. The database that rows are taken from is attached as `old`, for reading.

/** Attaches a closed database; detached again when it is disposed of. */
export async function attachOld(
  connection: DuckDBConnection,
  path: string,
): Promise<AsyncDisposable> {
  await connection.run(`attach ${quoteText(path)} as old (read_only)`);
  return {
    [Symbol.asyncDispose]: async () => {
      await connection.run("detach old");
    },
  };
}

/** A read as the attached database knows it. */
export type CarriedRead = {
  readonly facts: ReadFacts;
  /** Where the checkpoint starts that it moved; undefined where it moved none. */
  readonly checkpointFrom: string | undefined;
};

/** Finds what the attached database knows of a read; undefined if unknown. */
export async function findStoredRead(
  connection: DuckDBConnection,
  readId: string,
): Promise<CarriedRead | undefined> {
  const [row] = await queryFile(connection, "queries/rebuild/carried.sql#read", {
    read_id: readId,
  });
  if (row === undefined) return undefined;
  const facts = {
    readId,
    runId: String(row["run_id"]),
    source: String(row["source"]),
    windowStart: getText(row, "window_start"),
    windowEnd: getText(row, "window_end"),
    windowMs: Number(row["window_ms"]),
    seenAt: String(row["read_at"]),
    parts: [],
  };
  return { facts, checkpointFrom: getText(row, "checkpoint_from") ?? undefined };
}

/**
 * Copies a read from the attached database, in the transaction of the caller. Its events are classified by the present
 * catalog. Its quarantined records and ledger rows are copied, without the row of its run.
 */
export async function carryRead(connection: DuckDBConnection, read: ReadFacts): Promise<void> {
  await defineIncoming(connection, readSql("queries/rebuild/carried.sql#incoming"));
  await insertIncoming(connection, read, read.readId, 0, Number.POSITIVE_INFINITY);
  const [brought] = await queryFile(connection, "queries/rebuild/carried.sql#brought", {
    read_id: read.readId,
  });
  await noteDue(connection, read.readId, {
    inserted: Number(brought?.["inserted"]),
    firstEventTime: String(brought?.["first_event_time"]),
    lastEventTime: String(brought?.["last_event_time"]),
  });
  await runFile(connection, "queries/rebuild/carried.sql#rest", { read_id: read.readId });
}

/** Takes over the rows of all runs from the attached database; their totals are those of the reads that are here. */
export async function carryRuns(connection: DuckDBConnection): Promise<void> {
  await runInTransaction(connection, () => runFile(connection, "queries/rebuild/runs.sql"));
}

export async function carryTexts(connection: DuckDBConnection): Promise<void> {
  await runInTransaction(connection, () =>
    runFile(connection, "queries/rebuild/carried.sql#texts"),
  );
}

/** Takes over when findings were raised, and the hits that no event is left of. */
export async function carryFindings(connection: DuckDBConnection): Promise<void> {
  const path = "queries/rebuild/carried.sql";
  const [old] = await queryRows(connection, `${path}#has_findings`, { hasFindings: truth });
  if (old!.hasFindings)
    await runInTransaction(connection, () => runFile(connection, `${path}#findings`));
}

/** Copies the all-time sums of pruned events, and rebuilds the derived tables if there are any. */
export async function carrySums(connection: DuckDBConnection): Promise<void> {
  await runInTransaction(connection, async () => {
    const [row] = await queryFile(connection, "queries/rebuild/carried.sql#sums");
    if (Number(row?.["carried"]) > 0) await foldAll(connection);
  });
}

/**
 * Copies the attached database without the events and quarantined records of a time range. With `keepsFolds`, the
 * events and sums that derived tables need are copied, too.
 */
export async function copyWithout(
  connection: DuckDBConnection,
  scope: PruneScope,
  keepsFolds: boolean,
): Promise<void> {
  const own = await connection.runAndReadAll("select current_database()");
  await connection.run("set preserve_insertion_order = true");
  await connection.run("use old");
  await runFile(connection, "queries/prune/plan.sql#old_quarantine", scope);
  await noteKept(connection, scope, keepsFolds ? "here" : "none");
  await connection.run(`use ${quoteName(String(own.getRows()[0]![0]))}`);
  const aged = ["event_rows", "quarantine"];
  for (const { table_name: name } of await queryFile(
    connection,
    "queries/rebuild/carried.sql#tables",
  ))
    if (!aged.includes(String(name)))
      await connection.run(`insert into "${String(name)}" by name from old."${String(name)}"`);
  await runFile(connection, "queries/prune/apply.sql#keep", scope);
  await foldRest(connection, keepsFolds);
}

// Databases of version 1 identified events by another rule. Their events become records again and get new keys at load;
// views translate their ledger.

/** The reads that an open database of version 1 holds, each with its moment. */
export async function listOldReads(connection: DuckDBConnection): Promise<Map<string, string>> {
  const shape = { readId: text, readAt: text };
  const rows = await queryRows(connection, "queries/upgrade/former.sql#reads", shape);
  return new Map(rows.map(({ readId, readAt }) => [readId, readAt]));
}

/** The prunes that an open database of version 1 knows of; the first ones knew none. */
export async function listOldPrunes(connection: DuckDBConnection): Promise<RecordedPrune[]> {
  const path = "queries/upgrade/former.sql#prune_tables";
  const [row] = await queryRows(connection, path, { tables: count });
  return row!.tables === 2
    ? listRecordedPrunes(connection, "queries/upgrade/former.sql#prunes")
    : [];
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
  await connection.run(`attach ${quoteText(path)} as former (read_only)`);
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

/** A page of a read of version 1: its place, its ledger entry, and the file with its events as records. */
export type OldPage = {
  readonly sha256: string;
  readonly bytes: number;
  readonly file: string;
};

/** Writes the events of a read as records below a folder; returns all pages of the read, in order. */
export async function writeFormerPages(
  connection: DuckDBConnection,
  readId: string,
  folder: string,
): Promise<OldPage[]> {
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
