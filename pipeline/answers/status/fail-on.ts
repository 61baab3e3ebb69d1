import { type DuckDBConnection, DuckDBTimestampValue, TIMESTAMP } from "@duckdb/node-api";
import { queryFacts } from "../../base/sql/facts.ts";
import type { ConfigFile } from "../../../schemas/config.ts";
import { getSourceSettings } from "../../base/home/settings.ts";
import type { LedgerFacts } from "../../core/completeness/ledger-facts.ts";

/** The database, the configuration, and the source that is meant; undefined for all. */
type FailureQuestion = {
  readonly connection: DuckDBConnection;
  readonly config: ConfigFile;
  readonly source: string | undefined;
  readonly nowMs: number;
};

/** Which of the wanted failures a ledger shows, of one source or of all. */
export async function findFailures(
  wanted: readonly Failure[],
  { sources }: Pick<LedgerFacts, "sources">,
  { connection, config, source, nowMs }: FailureQuestion,
): Promise<Failure[]> {
  const found: Failure[] = [];
  for (const one of wanted) {
    const isFound =
      one === "drift"
        ? await hasDrift(connection, source, nowMs)
        : sources.some((facts) => {
            if (one === "gaps") return facts.gaps.length > 0;
            if (one === "quarantine") return Number(facts.totals["last_quarantined"]) > 0;
            return isStillClosed(facts, config, nowMs);
          });
    if (isFound) found.push(one);
  }
  return found;
}

const patienceMs = 48 * 3_600_000;

// Two scheduled runs make a window final; without a schedule, the operator has two days to confirm it.
function isStillClosed(
  { source, unfinalized }: LedgerFacts["sources"][number],
  config: ConfigFile,
  nowMs: number,
): boolean {
  if (isScheduled(source, config))
    return unfinalized.some((facts) => Number(facts["scheduled_runs"]) >= 2);
  const { grace_period: graceMs } = getSourceSettings(source, config);
  return unfinalized.some(
    (facts) => nowMs - Date.parse(String(facts["first_end"])) - graceMs >= patienceMs,
  );
}

function isScheduled(source: string, { schedule }: ConfigFile): boolean {
  return Object.values(schedule.jobs).some(
    ({ ingest }) => ingest !== undefined && (ingest.source ?? source) === source,
  );
}

// A policy that was never read has drifted from nothing.
async function hasDrift(
  connection: DuckDBConnection,
  source: string | undefined,
  nowMs: number,
): Promise<boolean> {
  const on = { type: TIMESTAMP, value: new DuckDBTimestampValue(BigInt(nowMs) * 1000n) };
  const path = "queries/reports/access/permission_drift.sql";
  const rows = await queryFacts(connection, path, { on });
  const own = rows.filter((row) => source === undefined || row["source"] === source);
  return own.some((row) => row["difference"] !== "no snapshot");
}

/** What `status --fail-on` may name; each gives exit code 3 where it is found. */
export const failures = ["gaps", "quarantine", "unfinalized", "drift"] as const;
export type Failure = (typeof failures)[number];
