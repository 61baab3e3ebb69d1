import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { AuditlakeError, getMessage, UsageError } from "../../base/errors.ts";
import { readAsset } from "../../base/home/assets.ts";
import { makeFolders } from "../../base/home/durable.ts";
import type { Report } from "../../base/report/find.ts";
import { fromTimestamp } from "../../base/time/text.ts";
import { parseCheckpoint } from "../../core/evidence/checkpoint.ts";
import { logFiles } from "../../core/evidence/entries.ts";
import { readHead } from "../../core/evidence/head.ts";
import type { Manifest } from "../../core/landing/manifests.ts";
import { readPage } from "../../core/landing/store.ts";
import type { ExportMeta } from "../report/meta.ts";
import type { CheckedFiles, PrunedRead } from "./check-files.ts";
import type { CheckedLog } from "./check-log.ts";
import { Mismatch } from "./verdict.ts";

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

/** Throws Mismatch for a pruned read whose events the report could use. */
export function refusePruned(
  pruned: readonly PrunedRead[],
  { scope, detection }: Report,
  meta: ExportMeta,
): void {
  const reachMs = detection === undefined ? 0 : Number(detection.reachMs);
  const isUsable = ({ manifest }: PrunedRead): boolean =>
    scope !== "range" || isWithin(manifest, meta, reachMs);
  const used = pruned.find(isUsable);
  if (used !== undefined)
    throw new Mismatch("stored pages pruned", `read ${used.readId} was pruned`);
}

/**
 * Returns whether the window of a read overlaps the range of a report, extended by `reachMs`. Files without a window,
 * reports without a range, and unknown reads always overlap.
 */
function isWithin(
  read: Pick<Manifest, "window_start" | "window_end"> | undefined,
  { parameters: { since, until } }: ExportMeta,
  reachMs = 0,
): boolean {
  const { window_start: start, window_end: end } = read ?? {};
  if (start == null || end == null || since == null || until == null) return true;
  return (
    fromTimestamp(end) > Date.parse(since) - reachMs && fromTimestamp(start) < Date.parse(until)
  );
}
