import { sourcesOf } from "../../core/store/of-source.ts";
import { claim, entryOf, refuseTaken, type Standing, standingOf } from "./claims.ts";
import { beyondOf, readSnapshots, type Snapshots } from "./beyond.ts";
import { mendCopy, newestPublication, type Publication, putPublication } from "./publication.ts";
import { keptInLake } from "./kept.ts";
import { publishTable } from "./publish-table.ts";
import { type Published, type Publisher, refuseInterrupted } from "./publisher.ts";
import { relationOf } from "./relation.ts";
import { isOfJobs, wholeJobs } from "./whole-jobs.ts";

/** What a publish came to; `publication` is its number, undefined where nothing was put there, now or before. */
export type Outcome = {
  readonly tables: readonly Published[];
  readonly publication: number | undefined;
  readonly isChanged: boolean;
};

/**
 * Brings the tables of the lake level with the database. A day whose rows differ is replaced whole, and each table
 * changes by one commit. The publication that names the versions of all comes last. Broken off anywhere it leaves readers
 * what they had, and repeats. Throws AuditlakeError.
 */
export async function publishLake(publisher: Publisher): Promise<Outcome> {
  const { store, connection, ingester, isDryRun } = publisher;
  const before = await newestPublication(store);
  const sources = await sourcesOf(connection);
  refuseTaken(before?.ingesters ?? {}, ingester, sources);
  if (!isDryRun) await claim(publisher, before, sources);
  const snapshots = await readSnapshots(publisher);
  const beyond = await beyondOf(publisher, snapshots, before);
  const standing = await standingOf(connection, before?.ingesters[ingester], beyond);
  const tables = await publishTables(publisher, { standing, snapshots }, before);
  const isNew = ({ table, version }: Published): boolean =>
    version !== before?.tables[table]?.version;
  const isChanged = tables.some(isNew);
  if (isDryRun) return { tables, publication: before?.night, isChanged };
  if (!isChanged && typeof before?.ingesters[ingester]?.published_at === "string") {
    await mendCopy(store, before);
    return { tables, publication: before.night, isChanged };
  }
  const { night: number } = await finishPublication(publisher, sources, standing, tables);
  return { tables, publication: number, isChanged };
}

async function publishTables(
  publisher: Publisher,
  { standing, snapshots }: { readonly standing: Standing; readonly snapshots: Snapshots },
  before: Publication | undefined,
): Promise<Published[]> {
  const { connection, ingester } = publisher;
  const { restored } = standing;
  const kept = await keptInLake(connection);
  const whole = await wholeJobs(publisher, { kept, restored }, snapshots);
  const newestRead = standing.newest_read ?? null;
  const tables: Published[] = [];
  for (const table of publisher.tables) {
    refuseInterrupted(publisher);
    const relation = await relationOf(connection, table, ingester);
    const since = before?.tables[table.name]?.version ?? -1;
    const there = { snapshot: snapshots.get(table.name)!, since };
    const wholeHere = isOfJobs(table) ? whole : undefined;
    const lake = { kept, restored, whole: wholeHere, ...there };
    // What stands in temporary tables one connection alone knows.
    const asRows = wholeHere === undefined ? relation : { ...relation, kind: "table" as const };
    tables.push(await publishTable({ ...publisher, newestRead }, asRows, lake));
    await connection.run(`drop ${relation.kind} ${relation.name}`);
  }
  return tables;
}

async function finishPublication(
  { store, ingester, nowMs }: Publisher,
  sources: readonly string[],
  standing: Standing,
  tables: readonly Published[],
): Promise<Publication> {
  return putPublication(store, nowMs, (last) => {
    refuseTaken(last.ingesters, ingester, sources);
    // Rows of a source stay there, also where the database was put back from before it.
    const all = new Set([...(last.ingesters[ingester]?.sources ?? []), ...sources]);
    const own = entryOf([...all].sort(), nowMs, standing);
    // Another ingester may have committed since, and have published that.
    const versions = tables.map(({ table, version }) => {
      const newest = Math.max(version, last.tables[table]?.version ?? 0);
      return [table, { version: newest }] as const;
    });
    return {
      ingesters: { ...last.ingesters, [ingester]: own },
      tables: { ...last.tables, ...Object.fromEntries(versions) },
    };
  });
}
