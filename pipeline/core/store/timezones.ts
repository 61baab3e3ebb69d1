import type { DuckDBConnection } from "@duckdb/node-api";
import { listIntervals, zoneRules } from "../../base/time/wall.ts";
import { runFile } from "../../base/sql/statements.ts";
import { runInTransaction } from "../../base/sql/transaction.ts";

/** A zone whose offsets a database holds, and the rules that they were made by. */
export type StoredZone = { readonly timezone: string; readonly rules: string };

/**
 * Has the database hold the offsets of these zones, the first of them as the default. Does nothing where it does
 * already, by the same rules.
 */
export async function fillTimezones(
  connection: DuckDBConnection,
  zones: readonly [string, ...string[]],
  held: readonly StoredZone[],
): Promise<void> {
  const [first, ...others] = zones;
  const wanted = [first, ...[...new Set(others)].filter((zone) => zone !== first).sort()];
  const isHeld =
    String(held.map(({ timezone }) => timezone)) === String(wanted) &&
    // What has no change of clocks follows no rules.
    (String(wanted) === "UTC" || held.every(({ rules }) => rules === zoneRules));
  if (isHeld) return;
  const intervals = wanted.flatMap((zone) =>
    listIntervals(zone).map(({ fromMs, toMs, offsetMinutes }) => ({
      timezone: zone,
      is_default: zone === first,
      from_ms: fromMs,
      to_ms: toMs,
      minutes: offsetMinutes,
    })),
  );
  const values = { intervals: JSON.stringify(intervals), rules: zoneRules };
  await runInTransaction(connection, () =>
    runFile(connection, "queries/timezones/timezones.sql#fill", values),
  );
}
