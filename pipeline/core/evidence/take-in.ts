import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { isCode } from "../../base/errors.ts";
import { computeSha256 } from "../../base/home/durable.ts";
import { landedFolders } from "./entries.ts";
import { type FileKind, fileKinds } from "./leaf.ts";
import type { EvidenceLog } from "./log.ts";
import type { FolderTimes } from "./peaks.ts";

/** The paths of all landed files of some kinds, by kind and name; each has a leaf. */
export function listLanded(landing: string, kinds: readonly FileKind[] = fileKinds): string[] {
  return kinds.flatMap((kind) => {
    const { folder, ends } = landedFolders[kind];
    return listNames(join(landing, folder))
      .filter((name) => !name.startsWith(".") && ends.some((end) => name.endsWith(end)))
      .sort()
      .map((name) => `${folder}/${name}`);
  });
}

/**
 * Adds leaves for landed files without one, reads in their order: files of killed runs, of decisions outside a run, and
 * of a home older than its log. Unreadable files get no leaf.
 */
export function takeIn(log: EvidenceLog): void {
  const times = readFolderTimes(log.landing);
  const changed = fileKinds.filter((kind) => {
    const { folder } = landedFolders[kind];
    return times[folder] !== log.folders[folder];
  });
  const paths = listLanded(log.landing, changed);
  const missing = paths.filter((path) => log.findIndex(path) === undefined);
  const files = missing.flatMap((path) => readLanded(log.landing, path) ?? []);
  if (log.isNew) files.sort((a, b) => (a.order < b.order ? -1 : 1));
  for (const { path, sha256 } of files) log.addFile(path, sha256, { isLater: log.isNew });
}

/** Returns when each landed folder changed last, without missing folders. */
export function readFolderTimes(landing: string): FolderTimes {
  const times = fileKinds.flatMap((kind) => {
    const { folder } = landedFolders[kind];
    const found = statSync(join(landing, folder), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? [] : [[folder, String(found.mtimeNs)]];
  });
  return Object.fromEntries(times) as FolderTimes;
}

/** The hash of a landed file's bytes, of a packed one unpacked; undefined where it cannot be read. */
export function hashLanded(landing: string, path: string): string | undefined {
  return readLanded(landing, path)?.sha256;
}

type Landed = { readonly path: string; readonly sha256: string; readonly order: string };

function readLanded(landing: string, path: string): Landed | undefined {
  try {
    const bytes = readFileSync(join(landing, path));
    const content = path.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
    return { path, sha256: computeSha256(content), order: orderOf(path, content) };
  } catch {
    return undefined;
  }
}

// Reads come first, by their times; names sort the rest.
function orderOf(path: string, content: Buffer): string {
  const { folder } = landedFolders.read;
  if (!path.startsWith(`${folder}/`)) return `~${path}`;
  const [, readAt = ""] = /^ ?"read_at": ?"([^"]*)"/m.exec(content.toString("latin1")) ?? [];
  return `${readAt} ${path}`;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}
