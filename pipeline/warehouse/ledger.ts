import type { DuckDBConnection } from "@duckdb/node-api";
import type { Held, ReadFacts, ReadResult } from "./load.ts";
import { queryFile, runFile } from "./statements.ts";

export type WindowState = "open" | "closed" | "finalized";

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
  readonly vanished: number;
  readonly requests: number;
  readonly retries: number;
  readonly bytes: number;
  readonly catalogVersion: string;
  readonly toolVersion: string;
  readonly error: string | null;
};

/** What a read is worth, seen together with those before it. */
export type Verdict = {
  /** Finalized when two reads in a row, both after the window had closed, agree. */
  readonly state: WindowState;
  /**
   * Whether it holds just the records that the read before it held, and as many that are none, whatever the state of
   * the two: an unreadable one that came in between moved the pages as any other does.
   */
  readonly agrees: boolean;
  /** The read before it, where that was of the same window and left it finalized. */
  readonly finalizedBy: { readonly readId: string; readonly seenAt: string } | undefined;
};

/** Compares a read with the one before it, where that was of the same window. */
export async function verdictOn(
  connection: DuckDBConnection,
  read: ReadFacts,
  isClosed: boolean,
  { digest, quarantined }: Held,
): Promise<Verdict> {
  const [previous] = await queryFile(connection, "queries/load/previous_read.sql", {
    source: read.source,
    read_id: read.readId,
    seen_at: read.seenAt,
    window_start: read.windowStart,
    window_end: read.windowEnd,
  });
  const isSame = previous?.["is_same"] === true;
  const agrees =
    isSame && previous["digest"] === digest && Number(previous["quarantined"]) === quarantined;
  const finalizedBy =
    isSame && previous["state"] === "finalized"
      ? { readId: String(previous["read_id"]), seenAt: String(previous["seen_at"]) }
      : undefined;
  if (!isClosed) return { state: "open", agrees, finalizedBy };
  const isFinalized = agrees && previous["state"] !== "open";
  return { state: isFinalized ? "finalized" : "closed", agrees, finalizedBy };
}

/**
 * The state after what a read brought is known. What a service has forgotten by now says nothing against a finalized
 * window: only what came since does, by this read or by that of another window.
 */
export async function stateAfter(
  connection: DuckDBConnection,
  { source, windowStart, windowEnd }: ReadFacts,
  { state, finalizedBy }: Verdict,
  { inserted, quarantined, doubtful }: ReadResult,
): Promise<WindowState> {
  // What is in doubt may be new.
  const isNothingNew = inserted + quarantined + doubtful === 0;
  if (state !== "closed" || finalizedBy === undefined || !isNothingNew) return state;
  const [row] = await queryFile(connection, "queries/load/arrived_since.sql", {
    source,
    window_start: windowStart,
    window_end: windowEnd,
    before_seen_at: finalizedBy.seenAt,
    before_read_id: finalizedBy.readId,
  });
  return Number(row?.["events"]) === 0 ? "finalized" : state;
}

/** Stores the read and its pages. */
export async function recordRead(
  connection: DuckDBConnection,
  read: ReadFacts,
  serverTime: string | null,
  state: WindowState,
  result: ReadResult,
): Promise<void> {
  await runFile(connection, "queries/load/record_read.sql", {
    read_id: read.readId,
    run_id: read.runId,
    source: read.source,
    window_start: read.windowStart,
    window_end: read.windowEnd,
    seen_at: read.seenAt,
    server_time: serverTime,
    state,
    pages: result.pages.length,
    fetched: result.fetched,
    inserted: result.inserted,
    duplicate: result.duplicate,
    quarantined: result.quarantined,
    vanished: result.vanished,
    outside: result.outside,
    digest: result.digest,
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

/** Writes the run's row anew. */
export async function recordRun(connection: DuckDBConnection, run: RunRow): Promise<void> {
  await runFile(connection, "queries/load/record_run.sql", {
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
    vanished: run.vanished,
    requests: run.requests,
    retries: run.retries,
    bytes: run.bytes,
    catalog_version: run.catalogVersion,
    tool_version: run.toolVersion,
    error: run.error,
  });
}

/** What the ledger says of a run already, for one that is gone on with; undefined when it says nothing. */
export async function storedRun(
  connection: DuckDBConnection,
  runId: string,
): Promise<Partial<RunRow> | undefined> {
  const [row] = await queryFile(connection, "queries/load/stored_run.sql", { run_id: runId });
  if (row === undefined) return undefined;
  const text = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  const count = (name: string): number => Number(row[name]);
  return {
    startedAt: String(row["started_at"]),
    rangeStart: text("range_start"),
    rangeEnd: text("range_end"),
    finishedAt: text("finished_at"),
    outcome: String(row["outcome"]) as RunRow["outcome"],
    error: text("error"),
    windows: count("windows"),
    pages: count("pages"),
    fetched: count("fetched"),
    inserted: count("inserted"),
    duplicate: count("duplicate"),
    quarantined: count("quarantined"),
    vanished: count("vanished"),
    requests: count("requests"),
    retries: count("retries"),
    bytes: count("bytes"),
  };
}

/** Moves the nightly checkpoint over the windows finalized without a gap; starts it at `fromTime`. */
export async function advanceCheckpoint(
  connection: DuckDBConnection,
  read: ReadFacts,
  fromTime: string,
): Promise<void> {
  await runFile(connection, "queries/load/advance_checkpoint.sql", {
    source: read.source,
    run_id: read.runId,
    seen_at: read.seenAt,
    from_time: fromTime,
  });
}

/** The reads that are loaded already. */
export async function loadedReads(connection: DuckDBConnection): Promise<Set<string>> {
  const reader = await connection.runAndReadAll("select read_id from window_reads");
  return new Set((reader.getColumns()[0] ?? []).map(String));
}
