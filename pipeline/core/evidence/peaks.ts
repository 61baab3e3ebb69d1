import { createHash, type Hash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { newDraftPath } from "../../base/home/drafts.ts";
import { asNew } from "../../base/home/durable.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import { logFiles } from "./entries.ts";

// What earlier runs hashed is hashed no more: the peaks of the tree are beside the entries, with the hash of the bytes
// that they are of. Where those were changed, the tree is made again, and the head shows it.

const peaksFile = z.strictObject({
  size: z.int().positive(),
  bytes: z.int().positive(),
  sha256: z.string(),
  peaks: z.array(z.base64()),
});

/** The roots of the largest full subtrees of the first `size` entries. */
export type Peaks = { readonly size: number; readonly peaks: readonly Buffer[] };

/** Hashes the whole lines of the entries, and finds the stored peaks if they are of their beginning. */
export function hashEntries(
  landing: string,
  all: Buffer,
): { readonly hash: Hash; readonly peaks: Peaks | undefined } {
  const hash = createHash("sha256");
  const stored = readStored(landing);
  const isReached = stored !== undefined && stored.bytes <= all.length;
  if (isReached) hash.update(all.subarray(0, stored.bytes));
  const isSame = isReached && hash.copy().digest("hex") === stored.sha256;
  hash.update(all.subarray(isReached ? stored.bytes : 0));
  if (!isSame) return { hash, peaks: undefined };
  const peaks = stored.peaks.map((text) => Buffer.from(text, "base64"));
  return { hash, peaks: { size: stored.size, peaks } };
}

function readStored(landing: string): z.infer<typeof peaksFile> | undefined {
  try {
    return peaksFile.safeParse(parseJson(readFileSync(join(landing, logFiles.peaks), "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** Stores the peaks of all entries. Not synced: they follow from the entries. */
export function storePeaks(
  landing: string,
  { size, peaks }: Peaks,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): void {
  const content = { size, bytes, sha256, peaks: peaks.map((one) => one.toString("base64")) };
  placeText(landing, logFiles.peaks, `${JSON.stringify(content)}\n`);
}

/** Gives a file of the log its content by a rename, without waiting for the disk. */
export function placeText(landing: string, file: string, text: string): void {
  const draft = newDraftPath(join(landing, logFiles.folder));
  writeFileSync(draft, text, asNew);
  renameSync(draft, join(landing, file));
}
