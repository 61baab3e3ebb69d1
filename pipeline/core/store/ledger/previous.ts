import type { DuckDBConnection } from "@duckdb/node-api";
import type { WindowState } from "./record.ts";
import type { Held, ReadFacts } from "../loading/read-facts.ts";
import { queryFile } from "../../../base/sql/statements.ts";

/** The newest earlier read of just this window that says something of it. */
export type ComparedRead = Held & {
  readonly isComplete: boolean;
  readonly wasOpen: boolean;
  /** Ranges with records that it asked for. */
  readonly parts: number;
};

/** What earlier reads say of a window. */
export type Previous = {
  /** The newest of all, where it is complete and one of just this window, also where the service has forgotten some. */
  readonly newest: Held | undefined;
  /** Undefined where there is none, or the newest one is of another window. */
  readonly compared: ComparedRead | undefined;
  /** How the window stands, and since which read; undefined where nothing covers it. */
  readonly standing:
    | { readonly state: WindowState; readonly readId: string; readonly seenAt: string }
    | undefined;
};

/** What the reads before this one say of its window. */
export async function previousOf(connection: DuckDBConnection, read: ReadFacts): Promise<Previous> {
  const [row] = await queryFile(connection, "queries/load/previous_read.sql", {
    source: read.source,
    read_id: read.readId,
    seen_at: read.seenAt,
    window_start: read.windowStart,
    window_end: read.windowEnd,
  });
  const state = row?.["standing_state"] ?? null;
  return {
    newest: row === undefined ? undefined : newestOf(row),
    compared: row?.["is_same"] === true ? comparedOf(row) : undefined,
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

function newestOf(row: Readonly<Record<string, unknown>>): Held | undefined {
  if (row["newest_is_same"] !== true || row["newest_is_complete"] !== true) return undefined;
  return { digest: String(row["newest_digest"]), quarantined: Number(row["newest_quarantined"]) };
}

function comparedOf(row: Readonly<Record<string, unknown>>): ComparedRead {
  return {
    digest: String(row["digest"]),
    quarantined: Number(row["quarantined"]),
    isComplete: row["is_complete"] === true,
    wasOpen: row["state"] === "open",
    parts: Number(row["parts"]),
  };
}

/** How many events of a read's window came after an earlier read of it, by whatever read. */
export async function arrivedSince(
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
