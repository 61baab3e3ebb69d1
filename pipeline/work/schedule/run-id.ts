import { exitCode } from "../../base/errors.ts";
import { toTimestamp } from "../../base/time/text.ts";
import type { Job } from "./job.ts";
import type { Ended } from "./job-outcome.ts";
import type { Settings } from "../../base/home/settings.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import { queryFile } from "../../base/sql/statements.ts";

/** How a run ended, with its id in the ledger where it was an ingest that failed and left one there. */
export async function withRunId(
  ended: Ended,
  { argv: [command = ""] }: Job,
  startedMs: number,
  settings: Settings,
): Promise<Ended> {
  if (command !== "ingest" || ended.code === exitCode.done) return ended;
  try {
    await using published = await openPublished(
      settings.home.published,
      readLimits(settings.config),
    );
    const values = { command, since: toTimestamp(startedMs) };
    const [row] = await queryFile(published.connection, "queries/status/failed_run.sql", values);
    return row === undefined ? ended : { ...ended, runId: String(row["run_id"]) };
  } catch {
    // Without a published file there is none; what failed is reported all the same.
    return ended;
  }
}
