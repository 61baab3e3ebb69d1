import { formatCommand } from "../../base/command-line.ts";
import { existsSync, rmSync, statSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";
import {
  getManifestPath,
  type Manifest,
  listNamedFiles,
  readManifests,
  listSetAside,
} from "./manifests.ts";
import { getPlacesPath } from "./places.ts";
import { joinPagePath, getPagesFolder } from "./store.ts";
import { listFilesBelow } from "./sweep.ts";
import type { Tombstone } from "./tombstones.ts";

/** A file of pages on disk: its name and how many bytes it takes there. */
export type StoredFile = { readonly name: string; readonly bytes: number };

/** Files of pages that a prune meets. */
export type PrunableFiles = {
  /** Files that are unused after the reads are deleted. */
  readonly unneeded: readonly StoredFile[];
  /** Files without a read that stay because manifests are quarantined. */
  readonly heldBack: number;
};

/**
 * Lists the files that are unused after the given reads are deleted: files of these reads that no other read uses, and
 * files of no read, as killed runs leave them. Files of no read stay while manifests are quarantined, since a repaired
 * manifest may name them. Only the holder of the run lock may delete the files: a running ingest has files whose
 * manifest does not exist yet.
 */
export function listPrunableFiles(folder: string, gone: ReadonlySet<string>): PrunableFiles {
  const { manifests, damaged } = readManifests(folder);
  if (damaged[0] !== undefined)
    throw new AuditlakeError(
      `manifest ${getManifestPath(folder, damaged[0])} cannot be read, so the pages that it needs are unknown; restore it from a backup, or run ${formatCommand("ingest")}, which moves it aside`,
    );
  const needed = listNamedFiles(manifests.filter(({ read_id: id }) => !gone.has(id)));
  const named = listNamedFiles(manifests);
  const unneeded = listStoredFiles(folder).filter(({ name }) => !needed.has(name));
  if (listSetAside(folder).length === 0) return { unneeded, heldBack: 0 };
  const own = unneeded.filter(({ name }) => named.has(name));
  return { unneeded: own, heldBack: unneeded.length - own.length };
}

function listStoredFiles(folder: string): StoredFile[] {
  return listFilesBelow(getPagesFolder(folder)).flatMap((path) => {
    const [, name] = /([0-9a-f]{64})\.zst$/.exec(path) ?? [];
    return name === undefined ? [] : [{ name, bytes: statSync(path).size }];
  });
}

/** The manifests on disk that a tombstone names: a prune that was killed has yet to remove them. */
export function listCondemned(folder: string, tombstones: readonly Tombstone[]): Manifest[] {
  return tombstones.flatMap(({ reads }) =>
    reads.filter(({ read_id: id }) => existsSync(getManifestPath(folder, id))),
  );
}

/**
 * Removes the unused files of pruned reads, then their manifests. Manifests are last, so that a killed prune is
 * detected and repeated; their tombstone must exist already. Returns the removed files.
 */
export function removeReads(folder: string, reads: readonly Manifest[]): readonly StoredFile[] {
  const gone = new Set(reads.map(({ read_id: id }) => id));
  const { unneeded: files } = listPrunableFiles(folder, gone);
  for (const { name } of files) rmSync(joinPagePath(folder, name), { force: true });
  for (const { read_id: id } of reads)
    for (const path of [getPlacesPath(folder, id), getManifestPath(folder, id)])
      rmSync(path, { force: true });
  return files;
}
