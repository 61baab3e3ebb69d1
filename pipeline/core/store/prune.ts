import { DuckDBListValue, type DuckDBConnection } from "@duckdb/node-api";
import { foldAll, foldDue, foldingFiles } from "./derived.ts";
import { queryFile, runFile, runFiles } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";

/** What a prune is about: everything before a moment (ISO text in UTC), of one source or of all (null). */
export type PruneScope = { readonly before: string; readonly source: string | null };

/** What a database holds of that time: how much of it goes, and where it comes from. */
export type OldTotals = {
  readonly events: number;
  readonly quarantined: number;
  /** The reads of those events. */
  readonly readIds: ReadonlySet<string>;
};

export type RecordedPrune = PruneScope & {
  readonly pruneId: string;
  readonly prunedAt: string;
  readonly withEvents: boolean;
  /** Whether events that derived tables need stay, because a lake has the rest. */
  readonly keepsFolds: boolean;
  readonly readIds: readonly string[];
  /** How many events and quarantined records went with it. */
  readonly events: number;
  readonly quarantined: number;
};

/** The loaded reads that are older than the moment. */
export async function listOldReads(
  connection: DuckDBConnection,
  scope: PruneScope,
): Promise<Set<string>> {
  const rows = await queryFile(connection, "queries/prune/plan.sql#reads", scope);
  return new Set(rows.map((row) => String(row["read_id"])));
}

/** Lists loaded files with events that other reads brought. */
export async function listRepeatingFiles(
  connection: DuckDBConnection,
  { source }: PruneScope,
): Promise<Set<string>> {
  const rows = await queryFile(connection, "queries/prune/plan.sql#repeating_files", { source });
  return new Set(rows.map((row) => String(row["read_id"])));
}

/**
 * Counts the events and quarantined records of the range to delete; with `keepsFolds`, without events that derived
 * tables need.
 */
export async function countOldRows(
  connection: DuckDBConnection,
  scope: PruneScope,
  keepsFolds: boolean,
): Promise<OldTotals> {
  await runFile(connection, "queries/prune/plan.sql#old_quarantine", scope);
  await runFiles(connection, foldingFiles);
  await runFile(connection, `queries/prune/plan.sql#kept_${keepsFolds ? "here" : "none"}`, scope);
  const [row] = await queryFile(connection, "queries/prune/plan.sql#totals", scope);
  return {
    events: Number(row?.["events"]),
    quarantined: Number(row?.["quarantined"]),
    readIds: new Set(toList(row?.["read_ids"])),
  };
}

/** Lists the days of the range with events to delete, if events that derived tables need stay. */
export async function listGoingDays(
  connection: DuckDBConnection,
  scope: PruneScope,
): Promise<Set<string>> {
  await runFiles(connection, foldingFiles);
  await runFile(connection, "queries/prune/plan.sql#kept_here", scope);
  const rows = await queryFile(connection, "queries/prune/plan.sql#going_days", scope);
  return new Set(rows.map((row) => String(row["day"])));
}

/** The sources that were read from a service, and not from files alone. */
export async function readSources(
  connection: DuckDBConnection,
  source: string | null,
): Promise<string[]> {
  const rows = await queryFile(connection, "queries/prune/plan.sql#read_sources", { source });
  return rows.map((row) => String(row["source"]));
}

/**
 * Records a prune in the ledger and, with events, deletes the events and quarantined records of its range; one
 * transaction. With `there`, the attached database decides which events stay.
 */
export async function applyPrune(
  connection: DuckDBConnection,
  prune: RecordedPrune,
  there?: "there",
): Promise<void> {
  const scope = { before: prune.before, source: prune.source };
  // In a rebuild, sums are carried over once everything is loaded.
  const keepsSums = prune.keepsFolds && there === undefined;
  if (keepsSums) await foldDue(connection);
  await runInTransaction(connection, async () => {
    if (prune.withEvents) {
      await runFile(connection, "queries/prune/plan.sql#old_quarantine", scope);
      await noteKept(connection, scope, prune.keepsFolds ? (there ?? "here") : "none");
      await runFile(connection, "queries/prune/apply.sql#forget", scope);
      await foldRest(connection, keepsSums);
    }
    await recordPrune(connection, prune);
  });
}

/**
 * Takes prunes with events out of the ledger that came after reads which are to be loaded now, from before them (ISO text
 * in UTC). So it is where an older database was put back. Returns them, to be applied once the reads are loaded. A run
 * that is killed before leaves that to the next one, which finds their tombstones.
 */
export async function withdrawPrunes(
  connection: DuckDBConnection,
  readAts: readonly string[],
): Promise<RecordedPrune[]> {
  const due = (await listRecordedPrunes(connection)).filter(
    ({ withEvents, prunedAt }) => withEvents && readAts.some((readAt) => readAt <= prunedAt),
  );
  const ids = JSON.stringify(due.map(({ pruneId }) => pruneId));
  if (due.length > 0)
    await runInTransaction(connection, () =>
      runFile(connection, "queries/prune/apply.sql#withdraw", { prune_ids: ids }),
    );
  return due;
}

/** Notes which events of the range stay: none, those that derived tables need, or those of the attached database. */
export async function noteKept(
  connection: DuckDBConnection,
  scope: PruneScope,
  which: "none" | "here" | "there",
): Promise<void> {
  await runFile(connection, `queries/prune/plan.sql#kept_${which}`, scope);
  if (which === "here") await runFile(connection, "queries/prune/sums.sql#former");
}

/** Refreshes derived tables after a prune; retained all-time sums stay as `noteKept` recorded them. */
export async function foldRest(connection: DuckDBConnection, keepsSums: boolean): Promise<void> {
  await runFile(connection, "queries/prune/sums.sql#none");
  await foldAll(connection);
  if (keepsSums) await runFile(connection, "queries/prune/sums.sql#restore");
}

export async function recordPrune(
  connection: DuckDBConnection,
  prune: RecordedPrune,
): Promise<void> {
  await runFile(connection, "queries/prune/apply.sql#record", {
    before: prune.before,
    source: prune.source,
    prune_id: prune.pruneId,
    pruned_at: prune.prunedAt,
    with_events: prune.withEvents,
    keeps_folds: prune.keepsFolds,
    // As text, for a list without elements has no type.
    read_ids: JSON.stringify(prune.readIds),
    events: prune.events,
    quarantined: prune.quarantined,
  });
}

/** Lists the recorded prunes of a database, oldest first; version 1 has its own query. */
export async function listRecordedPrunes(
  connection: DuckDBConnection,
  query = "queries/prune/apply.sql#ledger",
): Promise<RecordedPrune[]> {
  const rows = await queryFile(connection, query);
  return rows.map((row) => ({
    pruneId: String(row["prune_id"]),
    prunedAt: String(row["pruned_at"]),
    before: String(row["before_time"]),
    source: row["source"] === null ? null : String(row["source"]),
    withEvents: row["with_events"] === true,
    keepsFolds: row["keeps_folds"] === true,
    readIds: toList(row["read_ids"]),
    events: Number(row["events"]),
    quarantined: Number(row["quarantined"]),
  }));
}

function toList(value: unknown): string[] {
  return value instanceof DuckDBListValue ? value.items.map(String) : [];
}
