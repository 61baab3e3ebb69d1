import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { queryFile } from "../../../base/sql/statements.ts";
import type { Interval } from "../../../base/time/periods.ts";

/** What is known of a window whose next read may make it final, or show that equal records are events of their own. */
export type Confirmable = {
  /** Where the window can be split in two with records on both sides, milliseconds; undefined where it cannot. */
  readonly splitMs: number | undefined;
  /** Records that its newest read held. */
  readonly records: number;
};

/**
 * The windows to confirm, by their start in milliseconds (docs/trust.md, "Identity" and "Final only on evidence").
 * Their newest read is complete, and came after they had closed or left equal records out. Pages of `pageSize` records
 * are asked for.
 */
export async function confirmableIn(
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
