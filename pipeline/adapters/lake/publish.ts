import { type Notice, warning } from "../../base/notice/notice.ts";
import { formatCommand } from "../../base/command-line.ts";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AuditlakeError } from "../../base/errors.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { listSources } from "../../core/store/limit-to-source.ts";
import { claimSources, newEntry, refuseTaken, readClaim } from "./claims.ts";
import { refuseForeign } from "./commit.ts";
import { countMissing, pruneMark } from "./merge-day.ts";
import { planTable, type TablePlan } from "./plan-table.ts";
import {
  repairCopy,
  findNewestPublication,
  type Publication,
  putPublication,
} from "./publication.ts";
import { publishTable } from "./publish-table.ts";
import { type PublishedTable, type Publisher, refuseInterrupted } from "./publisher.ts";
import { createRelation } from "./relation.ts";
import { readSnapshot, type Snapshot } from "./snapshot.ts";

/** Outcome of a publish; `publication` is the number of the newest publication, undefined if none exists. */
export type Outcome = {
  readonly tables: readonly PublishedTable[];
  readonly publication: number | undefined;
  readonly isChanged: boolean;
};

/**
 * Brings the tables of the lake level with the database. A day whose rows differ is replaced whole, and each table
 * changes by one commit. The publication that names the versions of all comes last. Broken off anywhere it leaves readers
 * what they had, and repeats. A database that does not know the newest publication is refused, unless under `isFull`.
 * Throws AuditlakeError.
 */
export async function publishLake(publisher: Publisher): Promise<Outcome> {
  const { store, connection, ingester, isDryRun } = publisher;
  const before = await findNewestPublication(store);
  const sources = await listSources(connection);
  refuseTaken(before?.ingesters ?? {}, ingester, sources);
  const lake = await readLake(publisher, before);
  const { newestRead, isKnown } = await readClaim(connection, lake.reads);
  if (!isKnown && !publisher.isFull) throw newUnknownReadsError(publisher, before);
  if (!isKnown) publisher.warn(await lossNotice(publisher, lake));
  if (!isDryRun) await claimSources(publisher, before, sources);
  const tables: PublishedTable[] = [];
  for await (const plan of planTables(publisher, lake))
    tables.push(await publishTable({ ...publisher, newestRead }, plan));
  const isNew = ({ table, version }: PublishedTable): boolean =>
    version !== before?.tables[table]?.version;
  const isChanged = tables.some(isNew);
  if (isDryRun) return { tables, publication: before?.publication, isChanged };
  if (!isChanged && isKnown && typeof before?.ingesters[ingester]?.published_at === "string") {
    await repairCopy(store, before);
    return { tables, publication: before.publication, isChanged };
  }
  const { publication: number } = await finishPublication(publisher, sources, newestRead, tables);
  return { tables, publication: number, isChanged };
}

type Lake = {
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** The newest reads of this home that its publication and its commits since then name. */
  readonly reads: readonly string[];
};

// A publisher that was killed has committed tables that no publication names.
async function readLake(
  { store, tables, ingester }: Publisher,
  before: Publication | undefined,
): Promise<Lake> {
  const snapshots = new Map<string, Snapshot>();
  const reads = [before?.ingesters[ingester]?.newest_read];
  for (const { name } of tables) {
    const snapshot = await readSnapshot(store, name);
    const since = before?.tables[name]?.version ?? -1;
    const commits = await refuseForeign(store, name, snapshot, since);
    const own = commits.filter((commit) => commit.ingester === ingester);
    reads.push(...own.map((commit) => commit.newest_read));
    snapshots.set(name, snapshot);
  }
  return { snapshots, reads: reads.filter((read) => typeof read === "string") };
}

function newUnknownReadsError(
  { store: { place } }: Publisher,
  before: Publication | undefined,
): AuditlakeError {
  const newest = before === undefined ? "" : ` (publication ${before.publication} of ${before.at})`;
  return new AuditlakeError(
    `the lake ${place}${newest} is newer than this database; an older copy of the database may have been restored; nothing was changed: load the missing reads with ${formatCommand("rebuild")}, or re-read their days and run ${formatCommand("lake", "publish", "--full")}, which prints the rows that the lake loses (with --dry-run, it changes nothing)`,
  );
}

async function* planTables(
  publisher: Publisher,
  { snapshots }: Lake,
  isWanted: (name: string) => boolean = () => true,
): AsyncGenerator<TablePlan> {
  const { connection, ingester } = publisher;
  const mark = await pruneMark(connection);
  for (const table of publisher.tables.filter(({ name }) => isWanted(name))) {
    refuseInterrupted(publisher);
    const relation = await createRelation(connection, table, ingester);
    yield await planTable(publisher, relation, snapshots.get(table.name)!, mark);
    await connection.run(`drop ${relation.kind} ${relation.name}`);
  }
}

// Derived tables follow from these tables.
const recorded = ["event_rows", "quarantine", "ingest_runs", "window_reads"];

async function lossNotice(publisher: Publisher, lake: Lake): Promise<Notice> {
  const lost: string[] = [];
  for await (const plan of planTables(publisher, lake, (name) => recorded.includes(name)))
    lost.push(...(await describeTableLoss(publisher, plan)));
  return warning("lake_ahead", { lost });
}

async function describeTableLoss(
  { store, folder, connection }: Publisher,
  { relation, own, changes, immutable }: TablePlan,
): Promise<string[]> {
  const replaced = [...changes.written, ...changes.gone].filter((day) => !immutable.has(day));
  const copies = join(folder, randomUUID());
  const days: string[] = [];
  let rows = 0;
  for (const day of replaced.sort()) {
    const lake = { store, files: own.get(day) ?? [], folder: copies };
    const count = await countMissing(connection, relation, day, lake);
    if (count > 0) days.push(day);
    rows += count;
  }
  await rm(copies, { recursive: true, force: true });
  if (rows === 0) return [];
  const range = days[0] === "" ? "" : ` on ${formatCount(days.length, "day")} since ${days[0]}`;
  return [`${formatCount(rows, "row")} of ${relation.table.name}${range}`];
}

async function finishPublication(
  { store, ingester, nowMs }: Publisher,
  sources: readonly string[],
  newestRead: string | null,
  tables: readonly PublishedTable[],
): Promise<Publication> {
  return putPublication(store, nowMs, (last) => {
    refuseTaken(last.ingesters, ingester, sources);
    // Rows of a source stay there, also where the database was put back from before it.
    const all = new Set([...(last.ingesters[ingester]?.sources ?? []), ...sources]);
    const own = newEntry([...all].sort(), nowMs, newestRead);
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
