import type { DuckDBConnection } from "@duckdb/node-api";
import type { WindowState } from "./record.ts";
import type { StoredContent, PageCounts, ReadFacts, ReadResult } from "../loading/read-facts.ts";
import { queryFile } from "../../../base/sql/statements.ts";

/** The newest earlier read of exactly this window that shows anything about it. */
export type ComparedRead = StoredContent & {
  readonly isComplete: boolean;
  readonly wasOpen: boolean;
  /** Requested ranges with records. */
  readonly parts: number;
};

export type Previous = {
  /** The newest of all, where it is complete and one of just this window, also where the service has forgotten some. */
  readonly newest: StoredContent | undefined;
  /** Undefined if none exists, or the newest one is of another window. */
  readonly compared: ComparedRead | undefined;
  /** The state of the window, and since which read; undefined if nothing covers it. */
  readonly standing:
    | { readonly state: WindowState; readonly readId: string; readonly seenAt: string }
    | undefined;
};

export async function findPrevious(
  connection: DuckDBConnection,
  read: ReadFacts,
): Promise<Previous> {
  const [row] = await queryFile(connection, "queries/load/previous_read.sql", {
    source: read.source,
    read_id: read.readId,
    seen_at: read.seenAt,
    window_start: read.windowStart,
    window_end: read.windowEnd,
  });
  const state = row?.["standing_state"] ?? null;
  return {
    newest: row === undefined ? undefined : parseNewest(row),
    compared: row?.["is_same"] === true ? parseCompared(row) : undefined,
    standing:
      state === null
        ? undefined
        : {
            state: String(state) as WindowState,
            readId: String(row!["standing_read_id"]),
            seenAt: String(row!["standing_seen_at"]),
          },
  };
}

function parseNewest(row: Readonly<Record<string, unknown>>): StoredContent | undefined {
  if (row["newest_is_same"] !== true || row["newest_is_complete"] !== true) return undefined;
  return { digest: String(row["newest_digest"]), quarantined: Number(row["newest_quarantined"]) };
}

function parseCompared(row: Readonly<Record<string, unknown>>): ComparedRead {
  return {
    digest: String(row["digest"]),
    quarantined: Number(row["quarantined"]),
    isComplete: row["is_complete"] === true,
    wasOpen: row["state"] === "open",
    parts: Number(row["parts"]),
  };
}

/** Counts the events of a read's window that arrived after a previous read of it, by any read. */
export async function countArrivedSince(
  connection: DuckDBConnection,
  { source, windowStart, windowEnd }: ReadFacts,
  before: { readonly readId: string; readonly seenAt: string },
): Promise<number> {
  const [row] = await queryFile(connection, "queries/load/reads.sql#arrived_since", {
    source,
    window_start: windowStart,
    window_end: windowEnd,
    before_seen_at: before.seenAt,
    before_read_id: before.readId,
  });
  return Number(row?.["events"]);
}

/** An earlier read of the same window or file with as many pages and the same first one. */
export type SameRead = {
  readonly readId: string;
  /** ISO text in UTC. */
  readonly seenAt: string;
  readonly digest: string;
  readonly outside: number;
  readonly ambiguous: number;
  /** Stored events of its window that it did not return. */
  readonly missing: number;
  readonly unshown: string;
};

export async function listReadsWithPage(
  connection: DuckDBConnection,
  { source, readId }: ReadFacts,
  sha256: string,
): Promise<string[]> {
  const values = { source, read_id: readId, page_hash: sha256 };
  const rows = await queryFile(connection, "queries/load/reads.sql#with_page", values);
  return rows.map((row) => String(row["read_id"]));
}

/** Lists the reads that are stored completely, newest first. */
export async function listSameReads(
  connection: DuckDBConnection,
  read: ReadFacts,
  firstSha256: string,
  pages: number,
): Promise<SameRead[]> {
  if ((await listReadsWithPage(connection, read, firstSha256)).length === 0) return [];
  const rows = await queryFile(connection, "queries/load/reads.sql#same", {
    source: read.source,
    read_id: read.readId,
    first_page: firstSha256,
    pages,
    window_start: read.windowStart,
    window_end: read.windowEnd,
  });
  return rows.map((row) => ({
    readId: String(row["read_id"]),
    seenAt: String(row["read_at"]),
    digest: String(row["digest"]),
    outside: Number(row["outside"]),
    ambiguous: Number(row["doubtful"]),
    missing: Number(row["vanished"]),
    unshown: String(row["unshown"]),
  }));
}

/** Returns the result of a read that repeats an earlier one: nothing new, and equally many unreadable records. */
export async function readStoredResult(
  connection: DuckDBConnection,
  { readId, digest, outside, ambiguous, missing, unshown }: SameRead,
): Promise<ReadResult> {
  const rows = await queryFile(connection, "queries/load/reads.sql#pages", { read_id: readId });
  const pages = rows.map((row): PageCounts => {
    const [fetched, quarantined] = [Number(row["fetched"]), Number(row["quarantined"])];
    return {
      page: Number(row["page"]),
      sha256: String(row["sha256"]),
      bytes: Number(row["bytes"]),
      fetched,
      inserted: 0,
      duplicate: fetched - quarantined,
      quarantined,
    };
  });
  const sumPages = (of: (page: PageCounts) => number): number =>
    pages.reduce((n, p) => n + of(p), 0);
  return {
    pages,
    fetched: sumPages((p) => p.fetched),
    inserted: 0,
    duplicate: sumPages((p) => p.duplicate),
    quarantined: sumPages((p) => p.quarantined),
    missing,
    unshown,
    outside,
    ambiguous,
    unlike: 0,
    withheld: 0,
    digest,
  };
}
