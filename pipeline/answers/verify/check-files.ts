import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { AuditlakeError, getMessage, isCode } from "../../base/errors.ts";
import { computeSha256, makeFolders } from "../../base/home/durable.ts";
import type { OnProgress } from "../../base/terminal/progress.ts";
import type { FileLeaf, Leaf } from "../../core/evidence/leaf.ts";
import { formatManifest, type Manifest, readManifest } from "../../core/landing/manifests.ts";
import { getPlacesPath } from "../../core/landing/places.ts";
import { getPagePath, PageDamage, readPage } from "../../core/landing/store.ts";
import { listTombstones } from "../../core/landing/tombstones.ts";
import { Mismatch } from "./verdict.ts";

export type FileCheck = {
  readonly landing: string;
  /** The leaves below the head of the description, and all of the log. */
  readonly leaves: readonly Leaf[];
  readonly all: readonly Leaf[];
  /** The only source of the rows; null for all. */
  readonly source: string | null;
  readonly staged: string;
  readonly onProgress: OnProgress;
};

/** The reads of a log: complete reads, and reads in prune records. */
export type CheckedFiles = {
  readonly reads: readonly Manifest[];
  readonly pruned: readonly PrunedRead[];
};

/** A read whose files are deleted; without a manifest its content is unknown. */
export type PrunedRead = { readonly readId: string; readonly manifest: Manifest | undefined };

/**
 * Compares the landed files of leaves with them, reads down to the bytes of their pages, and stages what holds: a
 * landing folder of exactly these leaves. Throws Mismatch.
 */
export async function checkFiles(check: FileCheck): Promise<CheckedFiles> {
  const prunes = readPruneRecords(check.landing, check.all);
  const reads: Manifest[] = [];
  const pruned: PrunedRead[] = [];
  for (const [place, leaf] of check.leaves.entries()) {
    if (leaf.kind === "program") continue;
    check.onProgress(place + 1, leaf.path);
    const read = await checkLeaf(leaf, check, prunes);
    if (read === undefined) continue;
    if ("pages" in read) reads.push(read);
    else pruned.push(read);
  }
  return { reads, pruned };
}

async function checkLeaf(
  leaf: FileLeaf,
  check: FileCheck,
  prunes: PruneRecords,
): Promise<Manifest | PrunedRead | undefined> {
  const { landing, staged, source } = check;
  const bytes = readLanded(join(landing, leaf.path));
  if (bytes === undefined) return takePruned(leaf, check, prunes, "is missing");
  if (computeContentHash(leaf.path, bytes) !== leaf.sha256)
    throw new Mismatch(
      "stored pages changed",
      `${leaf.path} is not what entry ${leaf.index} names`,
    );
  if (leaf.kind !== "read") return stage(staged, leaf.path, bytes);
  const manifest = readManifest(landing, getReadId(leaf));
  if (manifest === undefined) throw new AuditlakeError(`${leaf.path} cannot be read as a manifest`);
  if (source !== null && manifest.source !== source) return undefined;
  try {
    for (const page of manifest.pages) await readPage(landing, page);
  } catch (error) {
    if (!(error instanceof PageDamage)) throw error;
    return takePruned(leaf, check, prunes, `has another page: ${getMessage(error)}`);
  }
  stage(staged, leaf.path, bytes);
  stagePages(manifest, check);
  return manifest;
}

function takePruned(
  leaf: FileLeaf,
  { source }: FileCheck,
  prunes: PruneRecords,
  what: string,
): PrunedRead | undefined {
  const readId = getReadId(leaf);
  if (leaf.kind !== "read" || !prunes.has(readId))
    throw new Mismatch("stored pages changed", `${leaf.path} ${what}`);
  const manifest = prunes.get(readId)?.find(({ sha256 }) => sha256 === leaf.sha256)?.manifest;
  if (source !== null && manifest !== undefined && manifest.source !== source) return undefined;
  return { readId, manifest };
}

function getReadId({ path }: FileLeaf): string {
  return path.replace(/^.*\//, "").replace(/\.json$/, "");
}

function readLanded(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new AuditlakeError(`${path} cannot be read: ${getMessage(error)}`);
  }
}

/** The hash of what a landed file holds, unpacked; undefined where it cannot be unpacked. */
export function computeContentHash(path: string, bytes: Buffer): string | undefined {
  try {
    return computeSha256(path.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes);
  } catch {
    return undefined;
  }
}

function stage(staged: string, path: string, bytes: Buffer): undefined {
  const to = join(staged, path);
  makeFolders(dirname(to));
  writeFileSync(to, bytes, { mode: 0o600 });
}

// Links instead of copies: the load compares each page with its name.
function stagePages(manifest: Manifest, { landing, staged }: FileCheck): void {
  const places = getPlacesPath(landing, manifest.read_id);
  if (existsSync(places)) copyFileSync(places, getPlacesPath(staged, manifest.read_id));
  for (const page of manifest.pages) {
    const to = getPagePath(staged, page);
    makeFolders(dirname(to));
    if (!existsSync(to)) symlinkSync(getPagePath(landing, page), to);
  }
}

/** A manifest that a prune record has, and the hash of the file that it was. */
type PrunedManifest = { readonly manifest: Manifest; readonly sha256: string };

/** What prune records have of reads, by their ids. */
type PruneRecords = ReadonlyMap<string, readonly PrunedManifest[]>;

/** Reads the prune records that the log has an entry of, with the same bytes; others count for nothing. */
function readPruneRecords(landing: string, leaves: readonly Leaf[]): PruneRecords {
  const logged = new Set(
    leaves.flatMap((leaf) =>
      leaf.kind === "prune" && hashFile(join(landing, leaf.path)) === leaf.sha256 ? leaf.path : [],
    ),
  );
  if (logged.size === 0) return new Map();
  const records = listTombstones(landing).filter(({ prune_id: id }) =>
    logged.has(`pruned/${id}.json`),
  );
  const reads = records.flatMap((record) =>
    record.reads.map((manifest) => ({ manifest, sha256: computeSha256(formatManifest(manifest)) })),
  );
  return Map.groupBy(reads, ({ manifest }) => manifest.read_id);
}

function hashFile(path: string): string | undefined {
  try {
    return computeSha256(readFileSync(path));
  } catch {
    return undefined;
  }
}
