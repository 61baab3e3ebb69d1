import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDraft } from "../../base/home/drafts.ts";
import { syncFolder } from "../../base/home/durable.ts";
import { AuditlakeError, isCode } from "../../base/errors.ts";
import { listLeftovers } from "./journal.ts";
import { getManifestPath, listNamedFiles, readManifests, listSetAside } from "./manifests.ts";
import { getPlacesPath } from "./places.ts";
import { joinPagePath, getPagesFolder } from "./store.ts";
import { listTombstones } from "./tombstones.ts";

/**
 * Removes leftovers of failed and killed reads: temporary files, and pages without a manifest. It does not scan the
 * page folders, which grow for years: journals name the files of such reads. Only the holder of the run lock may call
 * it.
 */
export async function sweepLanding(folder: string): Promise<void> {
  const left = listLeftovers(folder);
  const pages = new Set(left.flatMap((one) => one.files.map((file) => joinPagePath(folder, file))));
  const others = listFolders(folder).filter((path) => path !== getPagesFolder(folder));
  sweepDrafts(others.flatMap(listFilesBelow));
  const touched = [...new Set([...pages].map(dirname))];
  sweepDrafts(touched.flatMap(listFilesBelow));
  const needed = left.length > 0 ? listNeededPages(folder) : undefined;
  if (needed === undefined) return;
  for (const path of pages) if (!needed.has(path)) rmSync(path, { force: true });
  for (const { path } of left) removeOrphan(folder, basename(path));
  // Last, and when the disk has the rest, so that a sweep that was killed or cut off is done again.
  for (const path of touched) if (existsSync(path)) await syncFolder(path);
  for (const { path } of left) rmSync(path, { force: true });
}

/**
 * Lists the paths of all referenced pages. Undefined if a manifest is unreadable or moved aside: it may still be
 * repaired, and its pages are unknown.
 */
function listNeededPages(folder: string): Set<string> | undefined {
  try {
    const { manifests, damaged } = readManifests(folder);
    if (damaged.length > 0 || listSetAside(folder).length > 0) return undefined;
    const pruned = listTombstones(folder).flatMap(({ reads }) => reads);
    const named = [...listNamedFiles(manifests), ...listNamedFiles(pruned)];
    return new Set(named.map((file) => joinPagePath(folder, file)));
  } catch (error) {
    // Readers report unreadable files; nothing is removed until they can be read.
    if (error instanceof AuditlakeError) return undefined;
    throw error;
  }
}

function removeOrphan(folder: string, readId: string): void {
  if (!existsSync(getManifestPath(folder, readId)))
    rmSync(getPlacesPath(folder, readId), { force: true });
}

function sweepDrafts(paths: readonly string[]): void {
  for (const path of paths) if (isDraft(getName(path))) rmSync(path, { force: true });
}

function listFolders(folder: string): string[] {
  return listEntries(folder, false).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name)] : [],
  );
}

/** Paths of the files below a folder; none where it does not exist. */
export function listFilesBelow(folder: string): string[] {
  const files = listEntries(folder, true).filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name));
}

function listEntries(folder: string, recursive: boolean): ReturnType<typeof listFolder> {
  try {
    return listFolder(folder, recursive);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}

function listFolder(folder: string, recursive: boolean) {
  return readdirSync(folder, { recursive, withFileTypes: true });
}

function getName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
