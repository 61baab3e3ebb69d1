import { constants } from "node:fs";
import { type FileHandle, open, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { makeDraft } from "../../base/home/drafts.ts";
import { makeFolder, placeFile } from "../../base/home/durable.ts";
import { AuditlakeError, exitCode, isCode, getMessage, UsageError } from "../../base/errors.ts";
import type { Sink } from "./result.ts";

/** The new content while it is written: piece by piece as text, or by the database, which opens the path itself. */
type Draft = { readonly path: string; readonly sink: Sink };

/**
 * Replaces a file by what `fill` writes, all of it or nothing: a temporary file beside it (0600), synced, renamed,
 * folder synced. On a failure the old file stays unchanged. The `--meta` file of the old one is removed with it.
 */
export async function replaceFile<T>(path: string, fill: (draft: Draft) => Promise<T>): Promise<T> {
  const target = resolve(path);
  await refuseUnwritable(target);
  let draft: OpenDraft | undefined;
  const beginFolder = async (folder: string): Promise<string> => {
    draft = await createDraft(folder).catch(newWriteFailure(path));
    return draft.path;
  };
  const newFault = (_: string, error: unknown): AuditlakeError => writeError(path, error);
  try {
    const result = await placeFile(target, () => fillDraft(draft!, fill, path), {
      draft: beginFolder,
      fault: newFault,
    });
    await removeMeta(target);
    return result;
  } catch (error) {
    await draft?.file.close().catch(() => undefined);
    throw nameFault(error, draft?.path, path);
  }
}

async function fillDraft<T>(
  { file, path: draftPath }: OpenDraft,
  fill: (draft: Draft) => Promise<T>,
  path: string,
): Promise<T> {
  const writeText: Sink = (text) => file.appendFile(text).catch(newWriteFailure(path));
  const result = await fill({ path: draftPath, sink: writeText });
  await file.close();
  return result;
}

// Database messages name the temporary file; the person knows only the requested file.
function nameFault(error: unknown, draftPath: string | undefined, path: string): unknown {
  if (!(error instanceof AuditlakeError)) return writeError(path, error);
  const [, cause] = error.message.split(`"${draftPath}"`);
  if (cause === undefined) return error;
  return new AuditlakeError(`cannot write ${path}: ${cause.replace(/^[: ]+/, "").toLowerCase()}`);
}

/** Creates a missing folder for output (0700). */
export async function createFolder(path: string): Promise<void> {
  await makeFolder(resolve(path)).catch(newWriteFailure(path));
}

// The files of a home, and what the database puts beside them.
const ownFile = /^(?:warehouse|audit)\.duckdb(?:\.|$)|^run\.lock/;

async function refuseUnwritable(target: string): Promise<void> {
  if (ownFile.test(basename(target)))
    throw new UsageError(
      `cannot write ${target}: auditlake uses that file name itself; choose another`,
    );
  const [file, folder] = await Promise.all([tryStat(target), tryStat(dirname(target))]);
  if (!folder?.isDirectory())
    throw new UsageError(`cannot write ${target}: its folder does not exist; create it first`);
  if (file && !file.isFile())
    throw new UsageError(
      `cannot write ${target}: it is ${file.isDirectory() ? "a folder" : "not a regular file"}; name a file`,
    );
}

async function tryStat(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  return stat(path).catch((error: unknown) => {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return undefined;
    throw writeError(path, error);
  });
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

type OpenDraft = { readonly file: FileHandle; readonly path: string };

function createDraft(folder: string): Promise<OpenDraft> {
  return makeDraft(folder, async (path) => ({ file: await open(path, newFile, 0o600), path }));
}

function newWriteFailure(path: string): (error: unknown) => never {
  return (error) => {
    throw writeError(path, error);
  };
}

function writeError(path: string, error: unknown): AuditlakeError {
  return new AuditlakeError(`cannot write ${path}: ${getMessage(error)}`, exitCode.failed);
}

/** The path of the file that describes a file of rows. */
export const getMetaPath = (path: string): string => `${path}.meta.json`;

/** Removes the `--meta` file of a previous file of this path; other files with that name stay. */
async function removeMeta(path: string): Promise<void> {
  const text = await readFile(getMetaPath(path), "utf8").catch(() => "");
  if (isOwn(text, basename(path))) await rm(getMetaPath(path), { force: true });
}

function isOwn(text: string, name: string): boolean {
  try {
    const meta: unknown = JSON.parse(text);
    if (typeof meta !== "object" || meta === null || !("file" in meta)) return false;
    return meta.file === name && "sha256" in meta && "auditlake" in meta;
  } catch {
    return false;
  }
}
