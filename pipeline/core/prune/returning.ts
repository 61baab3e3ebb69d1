import type { DuckDBConnection } from "@duckdb/node-api";
import { fromTimestamp } from "../../base/time/text.ts";
import { UsageError } from "../../base/errors.ts";
import { type Settings, settingsOf } from "../../base/home/settings.ts";
import { watermarkOf } from "../store/ledger/coverage.ts";
import { type PruneScope, readSources } from "../store/prune.ts";
import { scheduledRange, windowsOf } from "../source/windows.ts";

/**
 * Throws UsageError where the next run reads some of that time again: that run would bring its events
 * back. Where the service takes no window, each read holds its whole log, however short the window.
 */
export async function refuseReturning(
  { config }: Settings,
  { before, source: wanted }: PruneScope,
  connection: DuckDBConnection,
  nowMs: number,
): Promise<void> {
  const beforeMs = fromTimestamp(before);
  for (const source of await readSources(connection, wanted)) {
    const { lookback, window: windowMs, audits } = settingsOf(source, config);
    if (audits.window_params === null)
      throw new UsageError(
        `the service of ${source} takes no window (sources.${source}.audits.window_params is null), so each ingest reads its whole log and the events would come back; prune without --events`,
      );
    const { resumeMs } = await watermarkOf(connection, source);
    const range = scheduledRange(resumeMs, lookback, nowMs);
    const startMs = windowsOf(range, windowMs)[0]?.startMs ?? range.startMs;
    if (beforeMs > startMs)
      throw new UsageError(
        `the next ingest of ${source} reads from ${new Date(startMs).toISOString()} on, so events after that would come back; choose an earlier --before`,
      );
  }
}
