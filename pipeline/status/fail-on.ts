import { type DuckDBConnection, TIMESTAMP, DuckDBTimestampValue } from "@duckdb/node-api";
import { factsOf } from "../report/facts.ts";
import type { LedgerFacts } from "./ledger-facts.ts";
import type { Failure } from "./failures.ts";

/** Which of the wanted failures a ledger shows, of one source or of all. */
export async function foundIn(
  wanted: readonly Failure[],
  { sources }: Pick<LedgerFacts, "sources">,
  connection: DuckDBConnection,
  source: string | undefined,
  nowMs: number,
): Promise<Failure[]> {
  const found: Failure[] = [];
  for (const one of wanted) {
    const isFound =
      one === "drift"
        ? await hasDrift(connection, source, nowMs)
        : sources.some((facts) => {
            if (one === "gaps") return facts.gaps.length > 0;
            if (one === "quarantine") return Number(facts.totals["last_quarantined"]) > 0;
            return facts.unfinalized.length > 0;
          });
    if (isFound) found.push(one);
  }
  return found;
}

// A policy that was never read has drifted from nothing.
async function hasDrift(
  connection: DuckDBConnection,
  source: string | undefined,
  nowMs: number,
): Promise<boolean> {
  const on = { type: TIMESTAMP, value: new DuckDBTimestampValue(BigInt(nowMs) * 1000n) };
  const path = "queries/reports/access/permission_drift.sql";
  const rows = await factsOf(connection, path, { on });
  const own = rows.filter((row) => source === undefined || row["source"] === source);
  return own.some((row) => row["difference"] !== "no snapshot");
}
