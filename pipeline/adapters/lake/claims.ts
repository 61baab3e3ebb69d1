import type { DuckDBConnection } from "@duckdb/node-api";
import { UsageError } from "../../base/errors.ts";
import { toolVersion } from "../../base/home/version.ts";
import { queryFile } from "../../base/sql/statements.ts";
import type { Committer } from "./commit.ts";
import { dayAfter, type Restored } from "./held.ts";
import { dayText } from "../../base/time/text.ts";
import { type Publication, putPublication } from "./publication.ts";

type Entry = Publication["ingesters"][string];

/** How far a database has come, beside what the lake knows of it. */
export type Standing = Pick<Entry, "newest_read"> & { readonly restored: Restored | undefined };

/** What the lake has of an ingester beyond its last publication: reads of commits, and the newest day of its files. */
export type Beyond = { readonly reads: readonly string[]; readonly lastDay: string | undefined };

/**
 * How far the database has come since its ingester published last. One that does not know the newest read of then, or of
 * a commit since, was put back from an older copy. What the lake has by then stays there.
 */
export async function standingOf(
  connection: DuckDBConnection,
  last: Entry | undefined,
  { reads, lastDay }: Beyond,
): Promise<Standing> {
  const asked = [last?.newest_read, ...reads].filter((each) => typeof each === "string");
  const values = { read_ids: JSON.stringify(asked) };
  const [row] = await queryFile(connection, "queries/lake/newest_read.sql", values);
  const newest = row?.["newest_read"] ?? null;
  const until = [publishedDay(last), lastDay].filter((day) => day !== undefined);
  // The last day, too, may have rows that this database lacks.
  const keptUntil = row?.["is_known"] === false ? until.sort().at(-1) : undefined;
  const former = last?.kept_before;
  const found = keptUntil === undefined ? undefined : dayAfter(keptUntil);
  const before = [found, former].filter((day) => day !== undefined).sort();
  const isFormer = former !== undefined;
  const restored = before.length === 0 ? undefined : { before: before.at(-1)!, isFormer };
  return { newest_read: newest === null ? null : String(newest), restored };
}

function publishedDay(last: Entry | undefined): string | undefined {
  const at = last?.published_at;
  return typeof at === "string" ? dayText(Date.parse(at)) : undefined;
}

/** What a publication holds of an ingester that publishes now. */
export function entryOf(
  sources: readonly string[],
  nowMs: number,
  { newest_read }: Pick<Standing, "newest_read">,
): Entry {
  const at = new Date(nowMs).toISOString();
  return { sources: [...sources], published_at: at, tool_version: toolVersion(), newest_read };
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
        `source ${taken} is in the lake already, from ingester ${other}${at === null ? "" : ` (last at ${at})`}; nothing was put there: give each source a name of its own in all configurations, or choose another lake.location`,
      );
  }
}

/** Enters new sources before any row of theirs is there: of two ingesters with one name the second is turned away. */
export async function claim(
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
    const own = { ...known, sources: [...all].sort(), tool_version: toolVersion() };
    return { ingesters: { ...ingesters, [ingester]: own }, tables };
  });
}
