import { BIGINT, type DuckDBConnection } from "@duckdb/node-api";
import type { SourceConfig } from "../../../schemas/config.ts";
import type { Bound } from "../../base/sql/bind.ts";
import { type Facts, factsOf, ofSource } from "../../base/sql/facts.ts";
import { silenceOf } from "./silence.ts";
import { knowWindows } from "./stored.ts";

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

/** How far the reading of one source has come; undefined before its first run. */
export async function totalsOf(
  connection: DuckDBConnection,
  source: string,
): Promise<Facts | undefined> {
  await knowWindows(connection, source);
  return (await askOf(connection, "sources", source))[0];
}

/** How whole the reading of one source is, as far as the ledger knows. */
export async function readingOf(
  connection: DuckDBConnection,
  source: string,
  settings: SourceConfig,
  nowMs: number,
): Promise<Reading> {
  await knowWindows(connection, source);
  const gaps = await gapsOf(connection, source, settings, nowMs);
  const silence = await silenceOf(connection, source);
  const unfinalized = await askOf(connection, "unfinalized", source);
  const backfills = await askOf(connection, "backfills", source);
  return { source, gaps, backfills, unfinalized, silence };
}

/** Intervals that no read of a source could show. */
export async function gapsOf(
  connection: DuckDBConnection,
  source: string,
  { retention }: SourceConfig,
  nowMs: number,
): Promise<Facts[]> {
  return factsOf(connection, "queries/status/gaps.sql", {
    ...ofSource(source),
    retention_ms: count(retention),
    now_ms: count(nowMs),
  });
}

/** The rows of a query of `queries/status/`, of one source or of all. */
export async function askOf(
  connection: DuckDBConnection,
  name: string,
  source: string | undefined,
): Promise<Facts[]> {
  return factsOf(
    connection,
    `queries/status/${name}.sql`,
    name === "names" ? {} : ofSource(source),
  );
}

function count(value: number | undefined): Bound {
  return { type: BIGINT, value: value === undefined ? null : BigInt(value) };
}
