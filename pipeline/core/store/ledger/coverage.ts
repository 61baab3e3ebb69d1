import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import type { WindowState } from "./record.ts";
import { queryFile, runFile } from "../../../base/sql/statements.ts";
import type { Interval } from "../../../base/time/periods.ts";

// Coverage of a source's time. All times are milliseconds since the epoch.

/** An interval of time and the state of its newest read. */
export type CoveredInterval = Interval & {
  readonly state: WindowState;
};

/** How far the scheduled reading has come. */
export type Watermark = {
  /** The newest interval without a gap that is final; undefined before the first final window. */
  readonly final: Interval | undefined;
  /** Where the next scheduled run resumes; undefined before the first one. */
  readonly resumeMs: number | undefined;
};

/** How far the scheduled reading of a source has come. */
export async function readWatermark(
  connection: DuckDBConnection,
  source: string,
): Promise<Watermark> {
  const [row] = await queryFile(connection, "queries/load/watermark.sql", { source });
  const readMs = (name: string): number | undefined => {
    const value = row?.[name] ?? null;
    return value === null ? undefined : Number(value);
  };
  const [startMs, endMs] = [readMs("final_from_ms"), readMs("final_ms")];
  const final = startMs === undefined || endMs === undefined ? undefined : { startMs, endMs };
  return { final, resumeMs: readMs("resume_ms") };
}

/** Counts events of a run outside its windows, in time that is final; undefined if there are none. */
export async function countLateArrivals(
  connection: DuckDBConnection,
  runId: string,
  final: Interval,
): Promise<
  { readonly events: number; readonly firstMs: number; readonly lastMs: number } | undefined
> {
  const values = {
    run_id: runId,
    from_ms: BigInt(final.startMs),
    to_ms: BigInt(final.endMs),
  };
  const [row] = await queryFile(connection, "queries/load/runs.sql#late_arriving", values);
  const events = Number(row!["events"]);
  if (events === 0) return undefined;
  return { events, firstMs: Number(row!["first_ms"]), lastMs: Number(row!["last_ms"]) };
}

/** Counts the events of a run, and those that share their id with another event. */
export async function countConflicts(
  connection: DuckDBConnection,
  runId: string,
  source: string,
): Promise<{ readonly inserted: number; readonly conflicts: number }> {
  const values = { run_id: runId, source };
  const [row] = await queryFile(connection, "queries/load/runs.sql#conflicts", values);
  return { inserted: Number(row!["inserted"]), conflicts: Number(row!["conflicts"]) };
}

/** When a source was last read, by the clock of the machine that did; undefined before. */
export async function findNewestRead(
  connection: DuckDBConnection,
  source: string,
): Promise<number | undefined> {
  const [row] = await queryFile(connection, "queries/load/reads.sql#newest", { source });
  const value = row?.["newest_ms"] ?? null;
  return value === null ? undefined : Number(value);
}

/** The intervals that were read between two moments, oldest first, without overlap. */
export async function listCoveredIntervals(
  connection: DuckDBConnection,
  source: string,
  fromMs: number,
  toMs: number,
): Promise<CoveredInterval[]> {
  const rows = await queryFile(connection, "queries/load/windows.sql#held", {
    source,
    from_ms: BigInt(fromMs),
    to_ms: BigInt(toMs),
  });
  return rows.map((row) => ({
    startMs: Number(row["start_ms"]),
    endMs: Number(row["end_ms"]),
    state: String(row["state"]) as WindowState,
  }));
}

/** What requests of one form have shown of a source so far. */
export type Traits = {
  /** Whether it has named a next page that was followed. */
  readonly isNextSeen: boolean;
  /** Records of the smallest page that had a successor; undefined where none had. */
  readonly smallestFollowed: number | undefined;
  readonly hasGiven: boolean;
  /** Whether half-size pages were requested, so that the service offers a next page. */
  readonly isHalfAsked: boolean;
};

/** The traits of a source as far as all reads have shown them, or those before a given one. */
export async function readTraits(
  connection: DuckDBConnection,
  source: string,
  form: string,
  before?: { readonly seenAt: string; readonly readId: string },
): Promise<Traits> {
  const [seenAt, readId] = [before?.seenAt ?? null, before?.readId ?? null];
  const values = { source, form, seen_at: seenAt, read_id: readId };
  const [row] = await queryFile(connection, "queries/load/reads.sql#traits", values);
  const smallest = row?.["smallest_followed"] ?? null;
  return {
    isNextSeen: row?.["is_next_seen"] === true,
    smallestFollowed: smallest === null ? undefined : Number(smallest),
    hasGiven: row?.["has_given"] === true,
    isHalfAsked: row?.["is_half_asked"] === true,
  };
}

/** What names the records of a source in the store; null where it is `id`. */
type SourceId = { readonly idAt: string | null; readonly hasReads: boolean };

export async function readSourceId(
  connection: DuckDBConnection,
  source: string,
): Promise<SourceId> {
  const [row] = await queryFile(connection, "queries/load/ids.sql#of_source", { source });
  const idAt = row?.["id_at"] ?? null;
  return { idAt: idAt === null ? null : String(idAt), hasReads: row?.["has_reads"] === true };
}

export async function recordSourceId(
  connection: DuckDBConnection,
  source: string,
  idAt: string,
): Promise<void> {
  await runFile(connection, "queries/load/ids.sql#record", { source, id_at: idAt });
}

/** Returns what names the records of each source where it is not `id`. */
export async function listSourceIds(connection: DuckDBConnection): Promise<Map<string, string>> {
  const rows = await queryFile(connection, "queries/load/ids.sql#all");
  return new Map(rows.map((row) => [String(row["source"]), String(row["id_at"])]));
}

/** Counts the records that a run took for known although their unknown fields differ from those of all stored ones. */
export async function countUnlike(connection: DuckDBConnection, runId: string): Promise<number> {
  const [row] = await queryFile(connection, "queries/load/runs.sql#unlike", { run_id: runId });
  return Number(row?.["unlike"]);
}

/** A window whose next read may make it final, or show that equal records are separate events. */
export type Confirmable = {
  /** Where the window can be split in two with records on both sides, milliseconds; undefined where it cannot. */
  readonly splitMs: number | undefined;
  /** Number of records in its newest read. */
  readonly records: number;
};

/**
 * Lists the windows to confirm, by their start in milliseconds (docs/trust.md, "Identity" and "Complete only on
 * evidence"). Their newest read is complete, and was made after they closed or withheld equal records. Pages of
 * `pageSize` records are requested.
 */
export async function listConfirmable(
  connection: DuckDBConnection,
  source: string,
  windows: readonly Interval[],
  pageSize: number,
): Promise<ReadonlyMap<number, Confirmable>> {
  if (windows.length === 0) return new Map();
  const rows = await queryFile(connection, "queries/load/confirming.sql", {
    source,
    page_size: Math.max(2, pageSize),
    starts: listValue(windows.map(({ startMs }) => BigInt(startMs))),
    ends: listValue(windows.map(({ endMs }) => BigInt(endMs))),
  });
  return new Map(
    rows.map((row) => [
      Number(row["start_ms"]),
      {
        splitMs: (row["split_ms"] ?? null) === null ? undefined : Number(row["split_ms"]),
        records: Number(row["records"]),
      },
    ]),
  );
}
