import { constants } from "node:fs";
import { copyFile, type FileHandle, open, rm } from "node:fs/promises";
import { newDraftPath } from "./drafts.ts";

// Eight times as much copies no faster, and the garbage collector looked through everything twice for each copy.
const chunkBytes = 1024 * 1024;

/**
 * Copies a file to a name that is free and waits until the disk has it. Where the file system can share blocks
 * nothing is copied; else each part is read back and compared. Throws where the copy holds something else.
 */
export async function copyCompared(from: string, to: string): Promise<void> {
  if (await areBlocksShared(from, to)) {
    await using copy = await open(to, "r");
    await copy.sync();
    return;
  }
  await using source = await open(from, "r");
  await using copy = await open(to, "wx+", 0o600);
  await copyParts(source, copy);
  await copy.sync();
}

// While a part is read back, the next one is on its way.
async function copyParts(source: FileHandle, copy: FileHandle): Promise<void> {
  const [even, odd, found] = [allocatePart(), allocatePart(), allocatePart()];
  let compared = Promise.resolve();
  for (let at = 0, given = even; ; given = given === even ? odd : even) {
    const [part] = await Promise.all([movePart(source, copy, given, at), compared]);
    if (part.length === 0) return;
    compared = comparePart(copy, part, at, found);
    at += part.length;
  }
}

function allocatePart(): Buffer {
  return Buffer.allocUnsafe(chunkBytes);
}

async function movePart(
  source: FileHandle,
  copy: FileHandle,
  given: Buffer,
  at: number,
): Promise<Buffer> {
  const part = given.subarray(0, (await source.read(given, 0, chunkBytes, at)).bytesRead);
  await writeAt(copy, part, at);
  return part;
}

async function comparePart(
  copy: FileHandle,
  part: Buffer,
  at: number,
  found: Buffer,
): Promise<void> {
  if (part.equals(await readAt(copy, found.subarray(0, part.length), at))) return;
  throw new Error(`byte ${at} differs from what was written; check the disk`);
}

/** Whether files of a folder can share blocks, so that a copy costs nothing: tries it with a small one. */
export async function canShareBlocks(folder: string): Promise<boolean> {
  const [one, other] = [newDraftPath(folder), newDraftPath(folder)];
  try {
    await using file = await open(one, "wx", 0o600);
    await file.writeFile(Buffer.alloc(64 * 1024, 1));
    return await areBlocksShared(one, other);
  } finally {
    for (const path of [one, other]) await rm(path, { force: true });
  }
}

async function areBlocksShared(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    return true;
  } catch {
    return false;
  }
}

async function writeAt(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

async function readAt(file: FileHandle, into: Buffer, at: number): Promise<Buffer> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await file.read(into, done, into.length - done, at + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return into;
}

/** The first byte in which two files of one size differ; undefined where they hold the same. */
export async function findFirstDifference(one: string, other: string): Promise<number | undefined> {
  await using left = await open(one, "r");
  await using right = await open(other, "r");
  const [a, b] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
  const { size } = await left.stat();
  for (let at = 0; at < size; at += chunkBytes) {
    const part = Math.min(chunkBytes, size - at);
    const given = await readAt(left, a.subarray(0, part), at);
    const found = await readAt(right, b.subarray(0, part), at);
    if (!given.equals(found)) return at + given.findIndex((byte, i) => byte !== found[i]);
  }
  return undefined;
}
