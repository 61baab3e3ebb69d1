import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { isCode } from "../../base/errors.ts";
import { computeSha256 } from "../../base/home/durable.ts";
import { landedFolders } from "./entries.ts";
import { fileKinds } from "./leaf.ts";
import type { EvidenceLog } from "./log.ts";

/** The paths of all landed files that have a leaf each, by kind and name. */
export function listLanded(landing: string): string[] {
  return fileKinds.flatMap((kind) => {
    const { folder, ends } = landedFolders[kind];
    return listNames(join(landing, folder))
      .filter((name) => !name.startsWith(".") && ends.some((end) => name.endsWith(end)))
      .sort()
      .map((name) => `${folder}/${name}`);
  });
}

/**
 * Adds the leaves of landed files that have none: those that a killed run or a decision outside a run left, and all of a
 * home from before the log, its reads in their order. A file that cannot be read gets none.
 */
export function takeIn(log: EvidenceLog): void {
  const missing = listLanded(log.landing).filter((path) => log.findIndex(path) === undefined);
  const files = missing.flatMap((path) => readLanded(log.landing, path) ?? []);
  if (log.isNew) files.sort((a, b) => (a.order < b.order ? -1 : 1));
  for (const { path, sha256 } of files) log.addFile(path, sha256, log.isNew);
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
