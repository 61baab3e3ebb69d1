import { randomUUID } from "node:crypto";
import { AuditlakeError } from "../../base/errors.ts";
import { type Publication, publicationAsOf, publicationsBefore } from "./publication.ts";
import type { Listed, Store } from "./store.ts";
import { lakeTables } from "./tables.ts";
import { type Since, type Unneeded, unneededOf } from "./vacuum-table.ts";

/**
 * The files that no reader of the last `keepMs` needs. They are Parquet files that were replaced before that, or put
 * there before that by a run that was broken off. With them go the parts of a log before the checkpoint that those
 * readers begin with. Who reads a publication needs what its tables held then, also where a table has changed since and no
 * publication says so. Times are those of the store. What a home may be putting
 * there stays a week. Throws AuditlakeError.
 */
export async function unneededFiles(store: Store, keepMs: number): Promise<Unneeded[]> {
  const nowMs = await storeNowMs(store);
  const cutoffMs = nowMs - keepMs;
  const since = { cutoffMs, strayMs: Math.min(cutoffMs, nowMs - longestPublishMs) };
  const oldest = await publicationAsOf(store, cutoffMs);
  const all: Unneeded[] = [];
  for (const { name } of lakeTables) all.push(...(await unneededOf(store, name, since, oldest)));
  return [...all, ...(await leftovers(store, since, oldest))];
}

// Another home may be putting files that it has not named yet, and before its first publication nothing names it either.
const longestPublishMs = 7 * 86_400_000;

// What belongs to no table: drafts and probes of runs that were killed, and publications before the oldest that counts.
async function leftovers(
  store: Store,
  { cutoffMs, strayMs }: Since,
  oldest: Publication | undefined,
): Promise<Unneeded[]> {
  const old = (files: readonly Listed[], why: Unneeded["why"], beforeMs = cutoffMs): Unneeded[] =>
    files.flatMap(({ name, bytes, changedMs }) =>
      changedMs < beforeMs ? [{ name, bytes, why }] : [],
    );
  const publications = oldest === undefined ? [] : await publicationsBefore(store, oldest);
  return [
    ...old(await store.drafts(), "half written", strayMs),
    ...old(await store.list(probes), "a probe"),
    ...old(publications, "before a publication"),
  ];
}

const probes = "_probe/";

// The clock of this machine may be another one than that by which files are dated.
async function storeNowMs(store: Store): Promise<number> {
  const name = `${probes}${randomUUID()}`;
  await store.put(name, Buffer.from("now"));
  const found = (await store.list(probes)).find((file) => file.name === name);
  await store.remove(name);
  if (found !== undefined && Number.isFinite(found.changedMs)) return found.changedMs;
  throw new AuditlakeError(
    `the lake ${store.place} does not say when a file was put there; nothing was removed`,
  );
}
