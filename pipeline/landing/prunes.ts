import { existsSync, rmSync, statSync } from "node:fs";
import { AuditlakeError } from "../errors.ts";
import { manifestPath, type Manifest, namedPages, readManifests, setAside } from "./manifests.ts";
import { pagePath, pagesFolder } from "./store.ts";
import { filesBelow } from "./sweep.ts";
import type { Tombstone } from "./tombstones.ts";

/** A page on disk: its name and how many bytes it takes there. */
export type StoredPage = { readonly sha256: string; readonly bytes: number };

/** Pages that a prune meets. */
export type PrunablePages = {
  /** What nothing needs once the reads are gone. */
  readonly unneeded: readonly StoredPage[];
  /** What no read names, and what stays all the same because manifests are set aside. */
  readonly heldBack: number;
};

/**
 * The pages that nothing needs once the given reads are gone: those of theirs that no other read names, and
 * those that no read names at all, as killed runs leave them. The latter stay while manifests are set aside:
 * somebody may yet repair one, and nobody knows which pages it names. Only the holder of the run lock may act
 * on it: a run at work has pages whose manifest is yet to come.
 */
export function prunablePages(folder: string, gone: ReadonlySet<string>): PrunablePages {
  const { manifests, damaged } = readManifests(folder);
  if (damaged[0] !== undefined)
    throw new AuditlakeError(
      `manifest ${manifestPath(folder, damaged[0])} cannot be read, so nobody knows which pages it needs; restore it from a backup, or run auditlake ingest, which sets it aside`,
    );
  const needed = namedPages(manifests.filter(({ read_id: id }) => !gone.has(id)));
  const named = namedPages(manifests);
  const unneeded = storedPages(folder).filter(({ sha256 }) => !needed.has(sha256));
  if (setAside(folder).length === 0) return { unneeded, heldBack: 0 };
  const own = unneeded.filter(({ sha256 }) => named.has(sha256));
  return { unneeded: own, heldBack: unneeded.length - own.length };
}

function storedPages(folder: string): StoredPage[] {
  return filesBelow(pagesFolder(folder)).flatMap((path) => {
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
export function removeReads(folder: string, reads: readonly Manifest[]): readonly StoredPage[] {
  const gone = new Set(reads.map(({ read_id: id }) => id));
  const { unneeded: pages } = prunablePages(folder, gone);
  for (const { sha256 } of pages) rmSync(pagePath(folder, sha256), { force: true });
  for (const { read_id: id } of reads) rmSync(manifestPath(folder, id), { force: true });
  return pages;
}
