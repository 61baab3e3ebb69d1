import type { DuckDBConnection } from "@duckdb/node-api";
import { type Facts, factsOf, ofSource } from "../text/facts.ts";

/** What the ledger knows of one source. */
export type SourceFacts = {
  readonly source: string;
  readonly totals: Facts;
  readonly windows: readonly Facts[];
  readonly gaps: readonly Facts[];
  readonly lateness: readonly Facts[];
  readonly quarantine: readonly Facts[];
};

export type LedgerFacts = {
  /** The last runs of all sources asked for, the newest first. */
  readonly runs: readonly Facts[];
  readonly sources: readonly SourceFacts[];
};

/** Asks the queries of `queries/status/` on the published file, of one source or of all. */
export async function readLedger(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<LedgerFacts> {
  const ask = (name: string): Promise<Facts[]> =>
    factsOf(connection, `queries/status/${name}.sql`, ofSource(source));
  // One after the other: the connection runs one statement at a time.
  const [totals, runs, windows] = [await ask("sources"), await ask("runs"), await ask("windows")];
  const [gaps, lateness] = [await ask("gaps"), await ask("lateness")];
  const quarantine = await ask("quarantine");
  const sources = totals.map((total): SourceFacts => {
    const name = String(total["source"]);
    const own = (facts: readonly Facts[]): Facts[] =>
      facts.filter((fact) => fact["source"] === name).map(withoutSource);
    return {
      source: name,
      totals: withoutSource(total),
      windows: own(windows),
      gaps: own(gaps),
      lateness: own(lateness),
      quarantine: own(quarantine),
    };
  });
  return { runs, sources };
}

function withoutSource(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => name !== "source"));
}
