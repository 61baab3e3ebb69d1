import {
  chmodSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  globSync,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../../base/home/durable.ts";
import type { Home } from "../../base/home/layout.ts";
import { openInstance } from "../../base/sql/instance.ts";

// Most blocks of a large database stay the same from run to run. So two published files alternate: the file that
// readers open, and the previous one, which receives the changed blocks and becomes the next one.

type Paths = Pick<Home, "warehouse" | "published" | "draft">;

// A file of DuckDB has a header of three pages, then blocks that begin with their checksum (seen with DuckDB 1.5.6).
const headerBytes = 3 * 4096;
const blockBytes = 262_144;
const checksumBytes = 8;

/**
 * Makes the draft of the closed warehouse from the older published file and the blocks that differ. Returns whether it
 * did; if not, there is neither a draft nor an older file, and the warehouse has to be copied whole.
 */
export async function patchOlder({ warehouse, published, draft }: Paths): Promise<boolean> {
  try {
    const [older, ...others] = listOlderFiles(published);
    if (older === undefined || others.length > 0 || !(await isUsable(older, published)))
      return false;
    renameSync(older, draft);
    // After a power cut a file that is changed in part must not be found under the name of a whole one.
    await syncFolder(dirname(draft));
    patchBlocks(warehouse, draft);
    return true;
  } catch {
    rmSync(draft, { force: true });
    return false;
  } finally {
    removeOlder(published);
  }
}

/** Gives the published file a second name, under which it stays; none where the file system knows no such names. */
export function keepAsOlder(published: string): void {
  try {
    // In a home that was copied or restored the number is not that of the file: it may have been copied while it changed.
    linkSync(published, `${published}.older-${statSync(published).ino}`);
  } catch {
    removeOlder(published);
  }
}

/** Removes the published file of before, since no row that was removed may stay in a file. */
export function removeOlder(published: string): void {
  for (const older of listOlderFiles(published)) rmSync(older, { recursive: true, force: true });
}

function listOlderFiles(published: string): string[] {
  const start = `${basename(published)}.older-`;
  const names = readdirSync(dirname(published)).filter((name) => name.startsWith(start));
  return names.map((name) => join(dirname(published), name));
}

// A file of its own, of whole blocks, that was not written to since the published one was, and that no process reads.
async function isUsable(older: string, published: string): Promise<boolean> {
  const [own, next] = [statSync(older), statSync(published)];
  // A kill between the two names leaves both on one file.
  if (!own.isFile() || own.ino === next.ino || !older.endsWith(`-${own.ino}`)) return false;
  if (own.mtimeMs > next.mtimeMs || (own.size - headerBytes) % blockBytes !== 0) return false;
  chmodSync(older, 0o600);
  return !isOpen(older) && !(await isHeld(older));
}

// Programs that copy it, such as a backup, have no lock. Those of other users do not show, unless this is root.
function isOpen(path: string): boolean {
  const real = realpathSync(path);
  return globSync("/proc/[0-9]*/fd/*").some((file) => {
    try {
      return readlinkSync(file) === real;
    } catch {
      return false;
    }
  });
}

// A reader has a lock on the file that it opened, under any name; the older one is never opened by its own name.
async function isHeld(path: string): Promise<boolean> {
  try {
    const instance = await openInstance(path, { access_mode: "READ_WRITE", threads: "1" });
    instance.closeSync();
    return false;
  } catch {
    return true;
  }
}

function patchBlocks(from: string, to: string): void {
  const source = openSync(from, "r");
  const target = openSync(to, "r+");
  try {
    const { size } = fstatSync(source);
    if ((size - headerBytes) % blockBytes !== 0)
      throw new Error(`the size of ${from} is not a multiple of the block size`);
    ftruncateSync(target, size);
    const buffers = [Buffer.alloc(blockBytes), Buffer.alloc(blockBytes)] as const;
    for (let at = headerBytes; at < size; at += blockBytes)
      if (!isSameBlock(source, target, at)) copyPart(source, target, at, blockBytes, buffers);
    copyPart(source, target, 0, headerBytes, buffers);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

const sums = [Buffer.alloc(checksumBytes), Buffer.alloc(checksumBytes)] as const;

// A block that was never written has no checksum.
function isSameBlock(source: number, target: number, at: number): boolean {
  for (const [i, file] of [source, target].entries()) readFully(file, sums[i]!, at);
  return sums[0].equals(sums[1]) && sums[0].some((byte) => byte !== 0);
}

function copyPart(
  source: number,
  target: number,
  at: number,
  bytes: number,
  [given, found]: readonly [Buffer, Buffer],
): void {
  const part = given.subarray(0, bytes);
  readFully(source, part, at);
  for (let done = 0; done < bytes;) done += writeSync(target, part, done, bytes - done, at + done);
  readFully(target, found.subarray(0, bytes), at);
  if (!part.equals(found.subarray(0, bytes)))
    throw new Error(`byte ${at} differs from what was written; check the disk`);
}

function readFully(file: number, into: Buffer, at: number): void {
  for (let done = 0; done < into.length;) {
    const bytes = readSync(file, into, done, into.length - done, at + done);
    if (bytes === 0) throw new Error(`the file ends before byte ${at + into.length}`);
    done += bytes;
  }
}
