import { constants } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { newDraftIn } from "../home/drafts.ts";
import { makeFolder, putInPlace } from "../home/durable.ts";
import { AuditlakeError, exitCode, isCode, messageOf, UsageError } from "../errors.ts";
import type { Sink } from "./sink.ts";

/** The new content while it is written: piece by piece as text, or by the database, which opens the path itself. */
type Draft = { readonly path: string; readonly sink: Sink };

/**
 * Replaces a file by what `fill` writes, all of it or nothing: a temporary file beside it (0600),
 * synced, renamed, folder synced. When anything fails the old file stays as it was.
 */
export async function replaceFile<T>(path: string, fill: (draft: Draft) => Promise<T>): Promise<T> {
  const target = resolve(path);
  await refuseUnwritable(target);
  const { handle, draftPath } = await createDraft(dirname(target)).catch(cannotWrite(path));
  try {
    const result = await fill({
      path: draftPath,
      sink: (text) => handle.appendFile(text).catch(cannotWrite(path)),
    });
    await handle.close();
    await putInPlace(draftPath, target);
    return result;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draftPath, { force: true });
    throw error instanceof AuditlakeError ? named(error, draftPath, path) : writeError(path, error);
  }
}

// The database names the draft in its messages, but the person knows only the file that was asked for.
function named(error: AuditlakeError, draftPath: string, path: string): AuditlakeError {
  const [, cause] = error.message.split(`"${draftPath}"`);
  if (cause === undefined) return error;
  return new AuditlakeError(`cannot write ${path}: ${cause.replace(/^[: ]+/, "").toLowerCase()}`);
}

/** Creates a folder for output (0700) where there is none. */
export async function createFolder(path: string): Promise<void> {
  await makeFolder(resolve(path)).catch(cannotWrite(path));
}

// The files of a home, and what the database puts beside them.
const ownFile = /^(?:warehouse|audit)\.duckdb(?:\.|$)|^run\.lock/;

async function refuseUnwritable(target: string): Promise<void> {
  if (ownFile.test(basename(target)))
    throw new UsageError(
      `cannot write ${target}: that is the name of a file of auditlake's own; choose another`,
    );
  const [file, folder] = await Promise.all([statOrNone(target), statOrNone(dirname(target))]);
  if (!folder?.isDirectory())
    throw new UsageError(`cannot write ${target}: its folder does not exist; create it first`);
  if (file && !file.isFile())
    throw new UsageError(
      `cannot write ${target}: it is ${file.isDirectory() ? "a folder" : "no ordinary file"}; name a file`,
    );
}

async function statOrNone(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  return stat(path).catch((error: unknown) => {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return undefined;
    throw writeError(path, error);
  });
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function createDraft(folder: string): Promise<{ handle: FileHandle; draftPath: string }> {
  return newDraftIn(folder, async (draftPath) => ({
    handle: await open(draftPath, newFile, 0o600),
    draftPath,
  }));
}

function cannotWrite(path: string): (error: unknown) => never {
  return (error) => {
    throw writeError(path, error);
  };
}

function writeError(path: string, error: unknown): AuditlakeError {
  return new AuditlakeError(`cannot write ${path}: ${messageOf(error)}`, exitCode.failed);
}
