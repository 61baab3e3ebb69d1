import { createHash, type Hash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { newDraftPath } from "../../base/home/drafts.ts";
import { asNew } from "../../base/home/durable.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import { logFiles } from "./entries.ts";

// What earlier runs hashed and listed is not hashed and listed again: the peaks of the tree and the times of the landed
// folders are beside the entries, with the hash of the bytes that they are of. Where those were changed, all of it is made
// again, and the head shows it.

const peaksFile = z.strictObject({
  size: z.int().positive(),
  bytes: z.int().positive(),
  sha256: z.string(),
  peaks: z.array(z.base64()),
  folders: z.record(z.string(), z.string()),
});

/** The roots of the largest full subtrees of the first `size` entries. */
export type Peaks = { readonly size: number; readonly peaks: readonly Buffer[] };

/** When each landed folder changed last, where all of its files have an entry. */
export type FolderTimes = Readonly<Record<string, string>>;

/** Hashes the complete lines of the entries, and finds the stored state of their beginning. */
export function hashEntries(
  landing: string,
  all: Buffer,
): { readonly hash: Hash; readonly peaks: Peaks | undefined; readonly folders: FolderTimes } {
  const hash = createHash("sha256");
  const stored = readStored(landing);
  const isReached = stored !== undefined && stored.bytes <= all.length;
  if (isReached) hash.update(all.subarray(0, stored.bytes));
  const isSame = isReached && hash.copy().digest("hex") === stored.sha256;
  hash.update(all.subarray(isReached ? stored.bytes : 0));
  if (!isSame) return { hash, peaks: undefined, folders: {} };
  const peaks = stored.peaks.map((text) => Buffer.from(text, "base64"));
  return { hash, peaks: { size: stored.size, peaks }, folders: stored.folders };
}

function readStored(landing: string): z.infer<typeof peaksFile> | undefined {
  try {
    return peaksFile.safeParse(parseJson(readFileSync(join(landing, logFiles.peaks), "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** The length and hash of all whole lines, and the folders whose files are in them. */
export type EntriesFacts = {
  readonly bytes: number;
  readonly sha256: string;
  readonly folders: FolderTimes;
};

/** Stores the peaks of all entries. Not synced: all of it can be made again. */
export function storePeaks(
  landing: string,
  { size, peaks }: Peaks,
  { bytes, sha256, folders }: EntriesFacts,
): void {
  const encoded = peaks.map((one) => one.toString("base64"));
  const content = { size, bytes, sha256, peaks: encoded, folders };
  placeText(landing, logFiles.peaks, `${JSON.stringify(content)}\n`);
}

/** Gives a file of the log its content by a rename, without waiting for the disk. */
export function placeText(landing: string, file: string, text: string): void {
  const draft = newDraftPath(join(landing, logFiles.folder));
  writeFileSync(draft, text, asNew);
  renameSync(draft, join(landing, file));
}
