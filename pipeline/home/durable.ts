import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AuditlakeError, isCode, messageOf } from "../errors.ts";

// What a draft is called while it is written, and how one that a killed run left is recognised.
const draftName = /^\.[0-9a-f]{12}\.tmp$/;

/** A name in a folder for a file that is not whole yet. */
export function draftIn(folder: string): string {
  return join(folder, `.${randomBytes(6).toString("hex")}.tmp`);
}

/** Whether a file is a draft of `placeFile`; nobody reads those, and no run needs them after the one it is of. */
export function isDraft(name: string): boolean {
  return draftName.test(name);
}

/** Writes a file that is whole or not there, its folders made; on the disk when it resolves. */
export function writeDurably(path: string, bytes: Buffer): Promise<void> {
  return placeFile(path, (draft) => writeFile(draft, bytes, asNew));
}

/** How a draft is opened: it belongs to nobody else, and others may not read it. */
export const asNew = { flag: "wx", mode: 0o600 } as const;

type PutInPlace = (draft: string, path: string) => Promise<void>;

/**
 * Makes a file that is whole or not there, on the disk when it resolves. `fill` writes a draft beside it. `put` gives
 * that the name, by a rename if left out. Errors of ours pass, EEXIST too; any other names the file. A killed process
 * leaves a draft.
 */
export async function placeFile<T>(
  path: string,
  fill: (draft: string) => Promise<T>,
  put: PutInPlace = rename,
): Promise<T> {
  const folder = dirname(resolve(path));
  const draft = draftIn(folder);
  try {
    await makeFolder(folder);
    const filled = await fill(draft);
    await putInPlace(draft, path, put);
    return filled;
  } catch (error) {
    if (error instanceof AuditlakeError || isCode(error, "EEXIST")) throw error;
    throw writeFault(path, error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Gives a closed file that is whole its name, once the disk has what it holds; there to stay when it resolves. */
export async function putInPlace(
  draft: string,
  path: string,
  put: PutInPlace = rename,
): Promise<void> {
  await syncFile(draft);
  await put(draft, path);
  await syncFolder(dirname(resolve(path)));
}

/** The error of a file that cannot be written, naming it and what to do. */
export function writeFault(path: string, error: unknown): AuditlakeError {
  return new AuditlakeError(
    `cannot write ${path}: ${messageOf(error)}; free space or fix the rights, then run again`,
  );
}

/** Makes a folder (0700) and those above it, where they are missing: a new one is safe when the one above knows it. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made));
}

/**
 * Makes a folder (0700) below another one, and waits until it can be found from there after a power cut. Whoever made
 * it may have been killed before it was on the disk.
 */
export async function secureFolder(folder: string, top: string): Promise<void> {
  await makeFolder(folder);
  for (let made = folder; made.length > top.length; made = dirname(made))
    await syncFolder(dirname(made));
}

/** Waits until what a closed file holds is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until what a folder lists is on the disk. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    // Some file systems refuse to sync a folder, and who may write into one need not be allowed to open it. The file
    // itself is safe.
    if (!["EINVAL", "EISDIR", "EPERM", "EACCES"].some((code) => isCode(error, code))) throw error;
  }
}
