import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { makeFolders } from "../../base/home/durable.ts";
import { AuditlakeError, getMessage, UsageError } from "../../base/errors.ts";
import { readAsset } from "../../base/home/assets.ts";
import type { Report } from "../../base/report/find.ts";
import { logFiles } from "../../core/evidence/entries.ts";
import { parseCheckpoint } from "../../core/evidence/checkpoint.ts";
import { readHead } from "../../core/evidence/head.ts";
import { readPage } from "../../core/landing/store.ts";
import type { ExportMeta } from "../report/meta.ts";
import type { CheckedFiles } from "./check-files.ts";
import type { CheckedLog } from "./check-log.ts";
import { isWithin } from "./scope.ts";

/** What a bundle is made of: files that were checked, and the landing folder that they were staged in. */
export type BundleContent = {
  readonly file: string;
  readonly metaFile: string;
  readonly meta: ExportMeta;
  readonly outsideHead: string | undefined;
  readonly report: Report;
  readonly log: CheckedLog;
  readonly files: CheckedFiles;
  readonly landing: string;
  readonly staged: string;
};

/** Throws UsageError where a bundle would mix with other files. */
export function refuseUsedFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty; name a new folder with --bundle`);
}

/**
 * Writes an exported file with all that a check of its pages needs: description, heads, log, landed files, the pages of
 * its range and a script. Throws AuditlakeError where they cannot be written.
 */
export async function writeBundle(folder: string, content: BundleContent): Promise<void> {
  try {
    await fillFolder(folder, content);
  } catch (error) {
    throw new AuditlakeError(`cannot write the bundle ${folder}: ${getMessage(error)}`);
  }
}

async function fillFolder(folder: string, content: BundleContent): Promise<void> {
  const { file, metaFile, meta, report, log, files, landing, staged } = content;
  const put = (path: string, bytes: Buffer | string): void => {
    const to = join(folder, path);
    makeFolders(dirname(to));
    writeFileSync(to, bytes, { mode: 0o600 });
  };
  put(basename(file), readFileSync(file));
  put(`${basename(file)}.meta.json`, readFileSync(metaFile));
  put("entries.ndjson", readFileSync(join(landing, logFiles.entries)));
  put("verify.mjs", readAsset("pipeline/answers/verify/verify.mjs"));
  put(`queries/${report.name}.sql`, report.sql);
  const heads = [readHead(landing)?.note, content.outsideHead, meta.evidence.head];
  for (const note of heads.filter((one) => one !== undefined))
    put(`heads/${parseCheckpoint(note).size}.checkpoint`, note);
  // Records of later prunes show which reads are no longer there.
  for (const [place, leaf] of log.leaves.entries()) {
    if (leaf.kind === "program" || (place >= log.head.size && leaf.kind !== "prune")) continue;
    const path = join(place < log.head.size ? staged : landing, leaf.path);
    if (existsSync(path)) put(`manifests/${leaf.path.replace(/\.zst$/, "")}`, readUnpacked(path));
  }
  for (const manifest of files.reads.filter((read) => isWithin(read, meta)))
    for (const page of manifest.pages) put(`pages/${page.sha256}`, await readPage(staged, page));
}

function readUnpacked(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
}
