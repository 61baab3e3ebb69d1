import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AuditlakeError } from "../errors.ts";
import { writeDurably } from "../durable.ts";
import { manifestPath, type Manifest, manifestSchema, pagePath, readManifests } from "./store.ts";
import { filesBelow } from "./sweep.ts";

const tombstone = z.strictObject({
  version: z.literal(1),
  // Names the file.
  prune_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/),
  pruned_at: z.string(),
  before: z.string(),
  source: z.string().nullable().describe("null: all sources"),
  with_events: z.boolean(),
  events: z.int(),
  quarantined: z.int(),
  reads: z.array(manifestSchema),
});

/**
 * What stays of reads that were pruned from landing: what they were, so that a rebuild knows whose events it
 * has to take from a database.
 */
export type Tombstone = z.infer<typeof tombstone>;

/** Writes a tombstone durably; only then may anything that it names be removed. */
export async function writeTombstone(folder: string, stone: Tombstone): Promise<void> {
  const path = join(folder, "pruned", `${stone.prune_id}.json`);
  await writeDurably(path, Buffer.from(`${JSON.stringify(stone, null, 1)}\n`));
}

/** All tombstones, oldest first; throws AuditlakeError for one that cannot be read. */
export function listTombstones(folder: string): Tombstone[] {
  const path = join(folder, "pruned");
  if (!existsSync(path)) return [];
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  const key = (one: Tombstone): string => one.pruned_at + one.prune_id;
  return files.map((name) => parse(join(path, name))).sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function parse(path: string): Tombstone {
  try {
    return tombstone.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new AuditlakeError(
      `${path}, which says what was pruned, cannot be read; restore it from a backup; without it rebuild would leave those events out`,
    );
  }
}

/** A page on disk: its name and how many bytes it takes there. */
export type StoredPage = { readonly sha256: string; readonly bytes: number };

/**
 * The pages that nothing needs once the given reads are gone: those of theirs that no other read names, and
 * those that no read names at all, as killed runs leave them. Only the holder of the run lock may act on it: a
 * run at work has pages whose manifest is yet to come.
 */
export function unneededPages(folder: string, gone: ReadonlySet<string>): StoredPage[] {
  const { manifests, damaged } = readManifests(folder);
  if (damaged[0] !== undefined)
    throw new AuditlakeError(
      `manifest ${manifestPath(folder, damaged[0])} cannot be read, so nobody knows which pages it needs; restore it from a backup, or run auditlake ingest, which sets it aside`,
    );
  const kept = manifests.filter(({ read_id: id }) => !gone.has(id));
  const needed = new Set(kept.flatMap(({ pages }) => pages.map(({ sha256 }) => sha256)));
  return storedPages(folder).filter(({ sha256 }) => !needed.has(sha256));
}

function storedPages(folder: string): StoredPage[] {
  return filesBelow(join(folder, "pages")).flatMap((path) => {
    const [, sha256] = /([0-9a-f]{64})\.zst$/.exec(path) ?? [];
    return sha256 === undefined ? [] : [{ sha256, bytes: statSync(path).size }];
  });
}

/** The manifests on disk that a tombstone names: a prune that was killed has yet to remove them. */
export function condemned(folder: string, stones: readonly Tombstone[]): Manifest[] {
  return stones.flatMap(({ reads }) =>
    reads.filter(({ read_id: id }) => existsSync(manifestPath(folder, id))),
  );
}

/**
 * Removes the pages of pruned reads that nothing else needs, then their manifests. The manifests go last, so
 * that a prune that was killed half way is seen and called again; their tombstone must be written already.
 * Returns the pages that went.
 */
export function removeReads(folder: string, reads: readonly Manifest[]): StoredPage[] {
  const pages = unneededPages(folder, new Set(reads.map(({ read_id: id }) => id)));
  for (const { sha256 } of pages) rmSync(pagePath(folder, sha256), { force: true });
  for (const { read_id: id } of reads) rmSync(manifestPath(folder, id), { force: true });
  return pages;
}
