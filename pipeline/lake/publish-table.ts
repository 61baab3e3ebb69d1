import { checkpointIfDue } from "./checkpoint.ts";
import { type Changes, changesOf, type OwnFiles, ownFiles, suspects, tagged } from "./changes.ts";
import { commit, lacksColumns } from "./commit.ts";
import { damagedDays } from "./damaged.ts";
import { type ByDay, digestsOf, formOf, looksOf } from "./digest.ts";
import { refuseForeign } from "./foreign.ts";
import { againOf, heldDays, heldLabels, type Restored } from "./held.ts";
import type { Published, Publisher } from "./publisher.ts";
import { isBefore, isKept, type Kept } from "./kept.ts";
import { nothing, putDays } from "./put.ts";
import type { AddFile } from "./log.ts";
import { type Relation, schemaOf } from "./relation.ts";
import { type Snapshot, tag } from "./snapshot.ts";
import type { WholeJobs } from "./whole-jobs.ts";

/**
 * Brings one table of the lake, as it was read before, level with the database, by one commit where anything differs.
 * `since` is the version that was published last, -1 for none: what came after it has to be ours. Throws AuditlakeError.
 */
export async function publishTable(
  publisher: Publisher,
  relation: Relation,
  { snapshot, since, kept, whole, restored }: There,
): Promise<Published> {
  const { store, ingester, isDryRun } = publisher;
  const { name: table, day } = relation.table;
  const { version, metaData } = snapshot;
  await refuseForeign(store, table, snapshot, Math.max(since, -1));
  const schema = schemaOf(relation);
  const isLacking = metaData === undefined || lacksColumns(table, schema, metaData);
  const own = ownFiles(snapshot, ingester, day?.column);
  const found = await lookedAt(publisher, relation, own);
  const held = heldDays(own, found, restored, relation.table);
  const isPruned = (each: string): boolean => isKept(kept, relation.table, each);
  const stays = (each: string): boolean =>
    isPruned(each) || held.has(each) || tagged(own.get(each), tag.kept) !== undefined;
  // Of a day that a prune took, only a copy of the file helps.
  const damaged = publisher.isFull ? await damagedDays(publisher, table, own) : new Set<string>();
  const lost = [...damaged].filter((each) => found.digests.has(each) && !isPruned(each));
  const others = [...(whole?.days.get(table) ?? []), ...againOf(held, found, restored)];
  const changes = withMixed(
    changesOf(own, found, new Set(lost), stays),
    others,
    (each) => isPruned(each) && !held.has(each) && isMixed(kept, relation, each, own),
  );
  const labels = [
    ...relabelled(own, found, changes.written),
    ...heldLabels(own, held, changes.frozen),
  ];
  const isSame =
    !isLacking && [changes.written, changes.gone, labels].every((one) => one.length === 0);
  if (isSame) return { ...changes, table, version, files: [] };
  if (isDryRun) return { ...changes, table, version: version + 1, files: [] };
  const staying = new Map([...own].filter(([each]) => stays(each) && !lost.includes(each)));
  const lake = { files: staying, kept, whole, held };
  const { add, files } = await putDays(
    publisher,
    relation,
    changes.written,
    tagsOf(found, own),
    lake,
  );
  const remove = [...changes.written, ...changes.gone].flatMap((each) => own.get(each) ?? []);
  await publisher.record(files);
  const change = { table, dayColumn: day?.column, schema, add: [...add, ...labels], remove };
  const after = await commit(change, snapshot, publisher);
  await checkpointIfDue(publisher, table, after);
  const given = lost.filter((each) => held.has(each));
  return { ...changes, table, version: after.version, files, given };
}

/** A table of the lake as it is, since which version, and what of it stays whatever the database has. */
export type There = {
  readonly snapshot: Snapshot;
  readonly since: number;
  readonly kept: Kept;
  readonly whole: WholeJobs | undefined;
  readonly restored: Restored | undefined;
};

// Days that the database has nothing of are looked at once where not all sources were pruned of them.
function isMixed({ ofAll }: Kept, { table }: Relation, day: string, own: OwnFiles): boolean {
  return (
    day !== "" &&
    table.key !== undefined &&
    !isBefore(day, ofAll) &&
    tagged(own.get(day), tag.look) !== nothing
  );
}

function withMixed(
  { written, gone, frozen }: Changes,
  others: readonly string[],
  isOneOfThem: (day: string) => boolean,
): Changes {
  const more = [...frozen.filter(isOneOfThem), ...others];
  const all = new Set([...written, ...more]);
  return {
    written: [...all].sort(),
    gone: gone.filter((day) => !all.has(day)),
    frozen: frozen.filter((day) => !all.has(day)),
  };
}

type Found = {
  readonly looks: ByDay;
  readonly digests: ByDay;
  /** The days that the database has rows of. */
  readonly days: ReadonlySet<string>;
};

async function lookedAt(
  { connection, isFull }: Publisher,
  relation: Relation,
  own: OwnFiles,
): Promise<Found> {
  const looks = await looksOf(connection, relation);
  const close = isFull ? [...looks.keys()] : suspects(own, looks, formOf(relation));
  const digests =
    close.length === 0 ? new Map<string, string>() : await digestsOf(connection, relation, close);
  return { looks, digests, days: new Set(looks.keys()) };
}

// Files of days that look otherwise and hold the same, as after another version of the database: told apart from then on.
function relabelled(
  own: OwnFiles,
  { looks, digests }: Found,
  written: readonly string[],
): AddFile[] {
  return [...digests].flatMap(([day, digest]) => {
    const files = written.includes(day) ? [] : (own.get(day) ?? []);
    if (tagged(files, tag.digest) !== digest || tagged(files, tag.look) === looks.get(day))
      return [];
    const look = { [tag.look]: looks.get(day)! };
    return files.map((file) => ({ ...file, dataChange: false, tags: { ...file.tags, ...look } }));
  });
}

// A day that is written for another reason than its rows here is said to hold what it was said to.
function tagsOf(
  { looks, digests }: Found,
  own: OwnFiles,
): (day: string) => Readonly<Record<string, string>> {
  return (day) => ({
    [tag.digest]:
      digests.get(day) ??
      (looks.has(day) ? tagged(own.get(day), tag.digest) : undefined) ??
      nothing,
    [tag.look]: looks.get(day) ?? nothing,
  });
}
