import { checkpointIfDue } from "./checkpoint.ts";
import { changesOf, type OwnFiles, ownFiles, suspects, tagged } from "./changes.ts";
import { commit, lacksColumns } from "./commit.ts";
import { damagedDays } from "./damaged.ts";
import { digestsOf, formOf, looksOf } from "./digest.ts";
import { refuseForeign } from "./foreign.ts";
import { againOf, heldDays, heldLabels, type Restored } from "./held.ts";
import type { Published, Publisher } from "./publisher.ts";
import { isKept, type Kept } from "./kept.ts";
import { type Found, relabelled, tagsOf } from "./labels.ts";
import { isMixed, withMixed } from "./mixed.ts";
import { putDays } from "./put.ts";
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
    (each) => isPruned(each) && !held.has(each) && isMixed(kept, relation.table, each, own),
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
