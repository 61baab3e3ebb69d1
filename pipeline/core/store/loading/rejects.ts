import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { partsOf, type ReadFacts, type Rejected } from "./read-facts.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";

// Records on their way to the quarantine wait in the database: a read can consist of nothing else.

/** How many records of each page are none. */
export type RejectCounts = Map<number, number>;

const filled = new WeakSet<DuckDBConnection>();

/** Removes the rejects of reads before; what was removed for a read that was undone is there again. */
export async function beginRejects(connection: DuckDBConnection): Promise<void> {
  if (filled.has(connection)) await connection.run("delete from rejects");
}

/** Adds rejects to those of the read, and to their counts. */
export async function addRejects(
  connection: DuckDBConnection,
  rejected: Iterable<Rejected>,
  counts: RejectCounts,
): Promise<void> {
  filled.add(connection);
  const appender = await connection.createAppender("rejects", "main", "temp");
  for (const { page, sha256, reason, text } of rejected) {
    appender.appendInteger(page);
    appender.appendVarchar(sha256);
    appender.appendVarchar(reason);
    appender.appendVarchar(text);
    appender.endRow();
    counts.set(page, (counts.get(page) ?? 0) + 1);
  }
  appender.closeSync();
}

/**
 * Drops the rejects that a part of a read shows again which overlaps another. They count on their page among `accepted`,
 * and so as duplicates.
 */
export async function dropOverlapping(
  connection: DuckDBConnection,
  read: ReadFacts,
  accepted: Map<number, number>,
  rejected: RejectCounts,
): Promise<void> {
  if (rejected.size === 0 || new Set(read.parts).size < 2) return;
  const parts = listValue(partsOf(read));
  const dropped = await queryFile(connection, "queries/load/quarantined.sql#drop_overlapping", {
    parts,
  });
  for (const { page } of dropped) {
    const at = Number(page);
    rejected.set(at, rejected.get(at)! - 1);
    accepted.set(at, (accepted.get(at) ?? 0) + 1);
  }
}

/** Puts the rejects of the read into the quarantine. */
export async function keepRejects(connection: DuckDBConnection, read: ReadFacts): Promise<void> {
  await runFile(connection, "queries/load/quarantined.sql#keep", {
    source: read.source,
    run_id: read.runId,
    seen_at: read.seenAt,
  });
}
