import { type Notice, warning } from "../../base/notice/notice.ts";
import { BIGINT, type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import type { SourceConfig } from "../../../schemas/config.ts";
import type { Bound } from "../../base/sql/bind.ts";
import { type Facts, queryFacts, bindSource } from "../../base/sql/facts.ts";
import { runFile } from "../../base/sql/statements.ts";
import type { NamedSource, Settings } from "../../base/home/settings.ts";
import { listSources } from "../store/limit-to-source.ts";

export type SourceReads = {
  readonly source: string;
  readonly gaps: readonly Facts[];
  /** Backfills that did not come to their end. */
  readonly backfills: readonly Facts[];
  /** Closed windows that are not final, by why. */
  readonly unfinalized: readonly Facts[];
  /** Time without events; null if the source has no events. */
  readonly silence: Facts | null;
};

/** How far the reading of one source has come; undefined before its first run. */
export async function readTotals(
  connection: DuckDBConnection,
  source: string,
): Promise<Facts | undefined> {
  await knowWindows(connection, source);
  return (await askSource(connection, "sources", source))[0];
}

/** How whole the reading of one source is, as far as the ledger knows. */
export async function readSourceReads(
  connection: DuckDBConnection,
  source: string,
  settings: SourceConfig,
  nowMs: number,
): Promise<SourceReads> {
  await knowWindows(connection, source);
  const gaps = await listGaps(connection, source, settings, nowMs);
  const silence = await readSilence(connection, source);
  const unfinalized = await askSource(connection, "unfinalized", source);
  const backfills = await askSource(connection, "backfills", source);
  return { source, gaps, backfills, unfinalized, silence };
}

/** Intervals that no read of a source could show. */
export async function listGaps(
  connection: DuckDBConnection,
  source: string,
  { retention }: SourceConfig,
  nowMs: number,
): Promise<Facts[]> {
  return queryFacts(connection, "queries/status/gaps.sql", {
    ...bindSource(source),
    retention_ms: count(retention),
    now_ms: count(nowMs),
  });
}

/** The rows of a query of `queries/status/`, of one source or of all. */
export async function askSource(
  connection: DuckDBConnection,
  name: string,
  source: string | undefined,
): Promise<Facts[]> {
  return queryFacts(
    connection,
    `queries/status/${name}.sql`,
    name === "names" ? {} : bindSource(source),
  );
}

function count(value: number | undefined): Bound {
  return { type: BIGINT, value: value === undefined ? null : BigInt(value) };
}

/**
 * Measures how long the service has shown no event of a source, in seconds, and how long it usually does. Null if there
 * is no event, or no window was read. Reads four weeks of events, for any history; needs the windows of `knowWindows`.
 */
export async function readSilence(
  connection: DuckDBConnection,
  source: string,
): Promise<Facts | null> {
  const [last] = await queryFacts(connection, "queries/status/last_event.sql", bindSource(source));
  if (last === undefined) return null;
  const toText = (name: string) => ({ type: VARCHAR, value: last[name] as string });
  const [silence = null] = await queryFacts(connection, "queries/status/silence.sql", {
    ...bindSource(source),
    last_event: toText("last_event"),
    read_up_to: toText("read_up_to"),
  });
  return silence;
}

/** Fills the table of windows that the queries of `queries/status/` ask, with those of one source or of all. */
export async function knowWindows(
  connection: DuckDBConnection,
  source: string | undefined,
): Promise<void> {
  await runFile(connection, "queries/status/known_windows.sql", { source: source ?? null });
}

/**
 * How many events there are of each source, and from when to when. All events are read only where the ledger knows
 * several sources: of one, the database has the answer in its headers.
 */
export async function countStoredEvents(
  connection: DuckDBConnection,
  sources: readonly string[],
): Promise<ReadonlyMap<string, Facts>> {
  const [only] = sources;
  if (only === undefined) return new Map();
  if (sources.length === 1) {
    const [all] = await queryFacts(connection, "queries/status/stored_all.sql", {});
    return new Map([[only, all!]]);
  }
  const stored = await queryFacts(connection, "queries/status/stored.sql", {});
  return new Map(stored.map(({ source, ...events }) => [String(source), events]));
}

/**
 * Warns if a run begins a source that is neither configured nor known, beside others that are. Its name may be
 * mistyped, and its data stays stored under it.
 */
export async function newSourceNotice(
  connection: DuckDBConnection,
  { name }: NamedSource,
  { config }: Settings,
): Promise<Notice | undefined> {
  if (Object.hasOwn(config.sources, name)) return undefined;
  const known = await listSources(connection);
  if (known.length === 0 || known.includes(name)) return undefined;
  return warning("source_new", { source: name, known });
}
