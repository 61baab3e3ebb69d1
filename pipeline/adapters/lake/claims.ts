import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import { readToolVersion } from "../../base/home/version.ts";
import { nullable, queryRows, text, truth } from "../../base/sql/typed-rows.ts";
import type { Committer } from "./commit.ts";
import { type Publication, putPublication } from "./publication.ts";

type Entry = Publication["ingesters"][string];

/** The newest read of a database, and whether it knows all reads of a list. */
export async function readClaim(
  connection: DuckDBConnection,
  reads: readonly string[],
): Promise<{ readonly newestRead: string | null; readonly isKnown: boolean }> {
  const shape = { newestRead: nullable(text), isKnown: truth };
  const values = { read_ids: JSON.stringify(reads) };
  const [row] = await queryRows(
    connection,
    "queries/lake/published.sql#newest_read",
    shape,
    values,
  );
  return row!;
}

/** What a publication holds of an ingester that publishes now. */
export function newEntry(
  sources: readonly string[],
  nowMs: number,
  newestRead: string | null,
): Entry {
  const at = new Date(nowMs).toISOString();
  return {
    sources: [...sources],
    published_at: at,
    tool_version: readToolVersion(),
    newest_read: newestRead,
  };
}

/**
 * Throws UsageError where another ingester has published one of the sources: rows differ by their source, so each event
 * would be there twice.
 */
export function refuseTaken(
  ingesters: Publication["ingesters"],
  own: string,
  sources: readonly string[],
): void {
  for (const [other, { sources: theirs, published_at: at }] of Object.entries(ingesters)) {
    const taken = other === own ? undefined : sources.find((name) => theirs.includes(name));
    if (taken !== undefined)
      throw new UsageError(
        `source ${taken} is already in the lake, from ingester ${other}${at === null ? "" : ` (last at ${at})`}; nothing was published: give each source a unique name across all configurations, or choose another lake.location`,
      );
  }
}

/** Enters new sources before their first row is published: of two ingesters with one name, the second is rejected. */
export async function claimSources(
  { store, ingester, nowMs }: Committer,
  before: Publication | undefined,
  sources: readonly string[],
): Promise<void> {
  const known = before?.ingesters[ingester];
  if (known !== undefined && sources.every((name) => known.sources.includes(name))) return;
  await putPublication(store, nowMs, ({ ingesters, tables }) => {
    refuseTaken(ingesters, ingester, sources);
    const known = { published_at: null, ...ingesters[ingester] };
    const all = new Set([...(ingesters[ingester]?.sources ?? []), ...sources]);
    const own = { ...known, sources: [...all].sort(), tool_version: readToolVersion() };
    return { ingesters: { ...ingesters, [ingester]: own }, tables };
  });
}
