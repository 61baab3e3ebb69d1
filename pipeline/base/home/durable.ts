import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { AuditlakeError, isCode, getMessage, findSystemAdvice } from "../errors.ts";
import { newDraftPath } from "./drafts.ts";
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";

/** Writes a file that is whole or not there, its folders made; on the disk when it resolves. */
export function writeDurably(path: string, bytes: Buffer): Promise<void> {
  return placeFile(path, (draft) => writeFile(draft, bytes, asNew));
}

/**
 * Writes a file whose bytes are on the disk when it resolves, and whose name is with the next file that is written durably
 * into its folder.
 */
export async function writeAhead(path: string, bytes: Buffer): Promise<void> {
  const folder = dirname(path);
  const draft = newDraftPath(folder);
  try {
    await makeFolder(folder);
    await writeFile(draft, bytes, { ...asNew, flush: true });
    await rename(draft, path);
  } catch (error) {
    throw writeFault(path, error);
  }
}

/** How a draft is opened: a new file that other users cannot read. */
export const asNew = { flag: "wx", mode: 0o600 } as const;

type PutInPlace = (draft: string, path: string) => Promise<void>;

/** How a file is placed otherwise than those of a home. */
export type Placing = {
  /** Gives the draft its name; a rename if left out. */
  readonly put?: PutInPlace;
  /** Names the draft, and may make it; any free name if left out. */
  readonly draft?: (folder: string) => string | Promise<string>;
  /** The error of a file that cannot be written. */
  readonly fault?: (path: string, error: unknown) => AuditlakeError;
};

/**
 * Makes a file that is whole or not there, on the disk when it resolves. `fill` writes a draft beside it. Errors of ours
 * pass, EEXIST too; any other names the file. A killed process leaves a draft.
 */
export async function placeFile<T>(
  path: string,
  fill: (draft: string) => Promise<T>,
  { put = rename, draft: draftFor = newDraftPath, fault = writeFault }: Placing = {},
): Promise<T> {
  const folder = dirname(resolve(path));
  let draft: string | undefined;
  try {
    await makeFolder(folder);
    draft = await draftFor(folder);
    const filled = await fill(draft);
    await putInPlace(draft, path, put);
    // The draft has its final name now, and another process may use the old one.
    if (put === rename) draft = undefined;
    return filled;
  } catch (error) {
    if (error instanceof AuditlakeError || isCode(error, "EEXIST")) throw error;
    throw fault(path, error);
  } finally {
    if (draft !== undefined) await rm(draft, { force: true }).catch(() => undefined);
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
  const isDenied = isCode(error, "EACCES") || isCode(error, "EPERM");
  const advice = isDenied ? "correct the permissions" : findSystemAdvice(error);
  return new AuditlakeError(
    `cannot write ${path}: ${getMessage(error)}; ${advice ?? "free space or correct the permissions"}, then run again`,
  );
}

/** Makes a folder (0700) and its missing parents. A new folder is durable once its parent is synced. */
export async function makeFolder(folder: string): Promise<void> {
  const first = makeFolders(folder);
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made));
}

/**
 * Makes a folder (0700) below another one and syncs the parent, even if the folder exists: the process that made it may
 * have been killed before its sync.
 */
export async function makeSecureFolder(folder: string, top: string): Promise<void> {
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
    // Some file systems refuse to sync a folder, and some users may write into a folder without opening it. The file
    // itself is safe.
    if (!["EINVAL", "EISDIR", "EPERM", "EACCES"].some((code) => isCode(error, code))) throw error;
  }
}

/** The SHA-256 of bytes, or of text in UTF-8, in hexadecimal. */
export function computeSha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The SHA-256 of what a file holds, in hexadecimal. */
export async function computeFileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/**
 * Makes a folder with all above it that are missing; returns the topmost that it made, undefined where all were there.
 * Node's own way never ends where a folder is there and none can be made in it (seen with Node 24 below /proc).
 */
export function makeFolders(folder: string, mode = 0o700): string | undefined {
  try {
    return makeMissingFolder(folder, mode);
  } catch (error) {
    const above = dirname(folder);
    if (!isCode(error, "ENOENT") || above === folder) throw error;
    const first = makeFolders(above, mode);
    const own = makeMissingFolder(folder, mode);
    return first ?? own;
  }
}

// Another process may have made it just now.
function makeMissingFolder(folder: string, mode: number): string | undefined {
  try {
    mkdirSync(folder, { mode });
    return folder;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    if (isFolder(folder)) return undefined;
    const message = `ENOTDIR: not a directory, mkdir '${folder}'`;
    throw Object.assign(new Error(message), { code: "ENOTDIR" });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
