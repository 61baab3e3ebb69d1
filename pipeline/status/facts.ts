import { BIGINT, type DuckDBConnection } from "@duckdb/node-api";
import type { ConfigFile, SourceConfig } from "../../schemas/config.ts";
import type { Bound } from "../report/bound.ts";
import { bothEnded } from "../sql/at-once.ts";
import { settingsOf } from "../home/source-settings.ts";
import { type Facts, factsOf, ofSource } from "../report/facts.ts";

/** What the ledger knows of one source. */
export type SourceFacts = Reading & {
  readonly totals: Facts;
  readonly windows: readonly Facts[];
  readonly lateness: readonly Facts[];
  /** Windows that lack rows which they had before. */
  readonly vanished: readonly Facts[];
  readonly quarantine: readonly Facts[];
};

/** How whole the reading of a source is. */
export type Reading = {
  readonly source: string;
  readonly gaps: readonly Facts[];
  /** Backfills that did not come to their end. */
  readonly backfills: readonly Facts[];
  /** Closed windows that are not final, by why. */
  readonly unfinalized: readonly Facts[];
  /** How long no event was seen; null where there are none at all. */
  readonly silence: Facts | null;
};

export type LedgerFacts = {
  /** The last runs of all sources asked for, the newest first. */
  readonly runs: readonly Facts[];
  readonly sources: readonly SourceFacts[];
};

/**
 * Asks the queries of `queries/status/`, of one source or of all that the ledger knows. A connection runs one statement
 * at a time; with another one `beside` it two are planned at once, which is most of what they take.
 */
export async function readLedger(
  connection: DuckDBConnection,
  source: string | undefined,
  config: ConfigFile,
  nowMs: number,
  beside?: DuckDBConnection,
): Promise<LedgerFacts> {
  const other = beside ?? connection;
  const isApart = beside !== undefined;
  const ask = (on: DuckDBConnection, name: string, of = source): Promise<Facts[]> =>
    factsOf(on, `queries/status/${name}.sql`, ofSource(of));
  const [totals, [runs, windows, quarantine]] = await both(
    isApart,
    () => ask(connection, "sources"),
    async () =>
      [
        await ask(other, "runs"),
        await ask(other, "windows"),
        await ask(other, "quarantine"),
      ] as const,
  );
  const sources: SourceFacts[] = [];
  for (const total of totals) {
    const name = String(total["source"]);
    const own = (facts: readonly Facts[]): Facts[] =>
      facts.filter((fact) => fact["source"] === name).map(withoutSource);
    const settings = settingsOf(name, config);
    const [reading, [lateness, vanished]] = await both(
      isApart,
      () => readingOf(connection, name, settings, nowMs),
      async () => [await ask(other, "lateness", name), await ask(other, "vanished", name)] as const,
    );
    sources.push({
      ...reading,
      totals: withoutSource(total),
      windows: own(windows),
      lateness,
      vanished,
      quarantine: own(quarantine),
    });
  }
  return { runs, sources };
}

async function both<A, B>(
  isAtOnce: boolean,
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  return isAtOnce ? bothEnded(one, other) : [await one(), await other()];
}

/** What there is of one source; undefined before its first run. */
export async function totalsOf(
  connection: DuckDBConnection,
  source: string,
): Promise<Facts | undefined> {
  return (await factsOf(connection, "queries/status/sources.sql", ofSource(source)))[0];
}

/** How whole the reading of one source is, as far as the ledger knows. */
export async function readingOf(
  connection: DuckDBConnection,
  source: string,
  { retention }: SourceConfig,
  nowMs: number,
): Promise<Reading> {
  const gaps = await factsOf(connection, "queries/status/gaps.sql", {
    ...ofSource(source),
    retention_ms: count(retention),
    now_ms: count(nowMs),
  });
  const [silence = null] = await factsOf(
    connection,
    "queries/status/silence.sql",
    ofSource(source),
  );
  const unfinalized = await factsOf(connection, "queries/status/unfinalized.sql", ofSource(source));
  const backfills = await factsOf(connection, "queries/status/backfills.sql", ofSource(source));
  return { source, gaps, backfills, unfinalized, silence };
}

function count(value: number | undefined): Bound {
  return { type: BIGINT, value: value === undefined ? null : BigInt(value) };
}

function withoutSource(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => name !== "source"));
}
