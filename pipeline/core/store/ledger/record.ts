import type { DuckDBConnection } from "@duckdb/node-api";
import type { ReadFacts, ReadResult } from "../loading/read-facts.ts";
import { queryFile, runFile, getText } from "../../../base/sql/statements.ts";
import { runInTransaction } from "../../../base/sql/transaction.ts";
import { nameStamp } from "../../../base/time/text.ts";

export type WindowState = "open" | "closed" | "finalized" | "accepted" | "gap";

/** Totals and fate of a run, as stored in ingest_runs. Times are ISO text in UTC. */
export type RunRow = {
  readonly runId: string;
  readonly source: string;
  readonly command: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly rangeStart: string | null;
  readonly rangeEnd: string | null;
  readonly outcome: "running" | "done" | "partial" | "interrupted" | "failed";
  readonly windows: number;
  readonly pages: number;
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicate: number;
  readonly quarantined: number;
  readonly missing: number;
  readonly requests: number;
  readonly retries: number;
  readonly bytes: number;
  readonly catalogVersion: string;
  readonly toolVersion: string;
  readonly error: string | null;
};

/** What the ledger keeps of a read beside its counts. */
export type ReadNote = {
  readonly state: WindowState;
  /** Why its window is not final by it; null where it is, or is still open. */
  readonly reason: string | null;
  /** What shows that the answers were whole. */
  readonly evidence: readonly string[];
  /** What speaks against the end of the read. */
  readonly signs: readonly string[];
  readonly isNeutral: boolean;
  readonly parts: number;
  readonly form: string | null;
  readonly isNextFollowed: boolean;
  readonly isHalfAsked: boolean;
  readonly smallestFollowed: number | null;
};

/** Stores the read and its pages. `leafIndex` is its place in the log over landed files, null without one. */
export async function recordRead(
  connection: DuckDBConnection,
  read: ReadFacts,
  {
    serverTime,
    leafIndex,
  }: { readonly serverTime: string | null; readonly leafIndex: number | null },
  note: ReadNote,
  result: ReadResult,
): Promise<void> {
  await runFile(connection, "queries/load/reads.sql#record", {
    read_id: read.readId,
    run_id: read.runId,
    source: read.source,
    window_start: read.windowStart,
    window_end: read.windowEnd,
    seen_at: read.seenAt,
    server_time: serverTime,
    state: note.state,
    pages: result.pages.length,
    fetched: result.fetched,
    inserted: result.inserted,
    duplicate: result.duplicate,
    quarantined: result.quarantined,
    vanished: result.missing,
    unshown: result.unshown,
    outside: result.outside,
    digest: result.digest,
    ambiguous: result.ambiguous,
    withheld: result.withheld,
    unlike: result.unlike,
    reason: note.reason,
    evidence: JSON.stringify(note.evidence),
    signs: JSON.stringify(note.signs),
    neutral: note.isNeutral,
    parts: note.parts,
    form: note.form,
    next_followed: note.isNextFollowed,
    half_asked: note.isHalfAsked,
    smallest_followed: note.smallestFollowed,
    note: null,
    leaf_index: leafIndex,
  });
  await appendPages(connection, read, result);
}

async function appendPages(
  connection: DuckDBConnection,
  read: ReadFacts,
  result: ReadResult,
): Promise<void> {
  const appender = await connection.createAppender("ingest_pages");
  for (const page of result.pages) {
    for (const text of [read.readId, read.runId, read.source]) appender.appendVarchar(text);
    appender.appendBigInt(BigInt(page.page));
    appender.appendVarchar(page.sha256);
    for (const n of [page.bytes, page.fetched, page.inserted, page.duplicate, page.quarantined])
      appender.appendBigInt(BigInt(n));
    appender.endRow();
  }
  appender.closeSync();
}

/** Rewrites the run's row: the old one is removed in the same statement. */
export async function recordRun(connection: DuckDBConnection, run: RunRow): Promise<void> {
  const row = {
    run_id: run.runId,
    source: run.source,
    command: run.command,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    range_start: run.rangeStart,
    range_end: run.rangeEnd,
    outcome: run.outcome,
    windows: run.windows,
    pages: run.pages,
    fetched: run.fetched,
    inserted: run.inserted,
    duplicate: run.duplicate,
    quarantined: run.quarantined,
    vanished: run.missing,
    requests: run.requests,
    retries: run.retries,
    bytes: run.bytes,
    catalog_version: run.catalogVersion,
    tool_version: run.toolVersion,
    error: run.error,
  };
  await runInTransaction(connection, () =>
    runFile(connection, "queries/load/runs.sql#record", row),
  );
}

/** Reads what the ledger has of a run that is resumed; undefined if it has nothing. */
export async function readStoredRun(
  connection: DuckDBConnection,
  runId: string,
): Promise<Partial<RunRow> | undefined> {
  const [row] = await queryFile(connection, "queries/load/runs.sql#stored", { run_id: runId });
  if (row === undefined) return undefined;
  const count = (name: string): number => Number(row[name]);
  return {
    startedAt: String(row["started_at"]),
    rangeStart: getText(row, "range_start"),
    rangeEnd: getText(row, "range_end"),
    finishedAt: getText(row, "finished_at"),
    outcome: String(row["outcome"]) as RunRow["outcome"],
    error: getText(row, "error"),
    windows: count("windows"),
    pages: count("pages"),
    fetched: count("fetched"),
    inserted: count("inserted"),
    duplicate: count("duplicate"),
    quarantined: count("quarantined"),
    missing: count("vanished"),
    requests: count("requests"),
    retries: count("retries"),
    bytes: count("bytes"),
  };
}

/**
 * Moves the checkpoint over final, accepted and given-up windows. Without a checkpoint it starts at `fromTime`; without
 * both none is written.
 */
export async function advanceCheckpoint(
  connection: DuckDBConnection,
  read: Pick<ReadFacts, "source" | "runId" | "seenAt">,
  fromTime: string | undefined,
): Promise<void> {
  const values = {
    source: read.source,
    run_id: read.runId,
    seen_at: read.seenAt,
    from_time: fromTime ?? null,
  };
  await runInTransaction(connection, () =>
    runFile(connection, "queries/load/advance_checkpoint.sql", values),
  );
}

export async function listLoadedReads(connection: DuckDBConnection): Promise<Set<string>> {
  const reader = await connection.runAndReadAll(
    "select read_id from window_reads where not is_mark",
  );
  return new Set((reader.getColumns()[0] ?? []).map(String));
}

/** Ends in the ledger the runs whose process was killed; only the holder of the run lock can identify them. */
export async function endAbandoned(connection: DuckDBConnection): Promise<void> {
  await runFile(connection, "queries/load/runs.sql#end_abandoned");
}

/** A run's row before anything was read. */
export function newRun(run: {
  runId: string;
  source: string;
  command: string;
  startedAt: string;
  rangeStart: string | null;
  rangeEnd: string | null;
  catalogVersion: string;
  toolVersion: string;
}): RunRow {
  const zero = {
    windows: 0,
    pages: 0,
    fetched: 0,
    inserted: 0,
    duplicate: 0,
    quarantined: 0,
    missing: 0,
  };
  const open = { finishedAt: null, outcome: "running" as const, error: null };
  return { ...run, ...zero, requests: 0, retries: 0, bytes: 0, ...open };
}

/** The run with one more read added to its totals; the read of a file is no window. */
export function addRead(run: RunRow, read: ReadFacts, result: ReadResult): RunRow {
  return {
    ...run,
    windows: run.windows + (read.windowStart === null ? 0 : 1),
    pages: run.pages + result.pages.length,
    fetched: run.fetched + result.fetched,
    inserted: run.inserted + result.inserted,
    duplicate: run.duplicate + result.duplicate,
    quarantined: run.quarantined + result.quarantined,
    missing: run.missing + result.missing,
    bytes: run.bytes + result.pages.reduce((sum, page) => sum + page.bytes, 0),
  };
}

/** A name for a run that sorts by time and does not repeat, also among many files imported in one second. */
export function newRunId(nowMs: number, random: () => number): string {
  const stamp = nameStamp(nowMs);
  return `${stamp}-${Math.floor(random() * 0x100000000)
    .toString(16)
    .padStart(8, "0")}`;
}
