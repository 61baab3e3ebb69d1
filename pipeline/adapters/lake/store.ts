import { constants } from "node:fs";
import { copyFile, link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { isDraft } from "../../base/home/drafts.ts";
import { asNew, placeFile, writeDurably } from "../../base/home/durable.ts";
import { AuditlakeError, isCode, getMessage } from "../../base/errors.ts";

export type ListedFile = {
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly changedMs: number;
};

/**
 * The storage of a lake. Names are paths below it, joined by `/`. Errors are AuditlakeErrors in one line without
 * credentials; missing files are undefined.
 */
export type Store = {
  /** How messages call it. */
  readonly place: string;
  /** Lists the files with a prefix by name; with `after`, only later names. */
  readonly list: (prefix: string, after?: string) => Promise<ListedFile[]>;
  /** The files that an upload which was broken off has left half written, where the store shows such. */
  readonly drafts: () => Promise<ListedFile[]>;
  readonly get: (name: string) => Promise<Buffer | undefined>;
  readonly put: (name: string, bytes: Buffer) => Promise<void>;
  /** Writes a new file; returns false and changes nothing if it exists with other content. */
  readonly putIfAbsent: (name: string, bytes: Buffer) => Promise<boolean>;
  /** Puts a local file there under a new name; `sha256` is what it holds. */
  readonly upload: (name: string, file: string, sha256: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
};

/** Opens a lake in a folder. Files are synced; a link claims a name, since it never replaces a file. */
export function newFolderStore(root: string): Store {
  const resolveName = (name: string): string => join(root, name);
  return {
    place: root,
    list: async (prefix, after = "") =>
      (await listFiles(root, prefix, after)).filter(({ name }) => !isDraft(basename(name))),
    drafts: async () =>
      (await listFiles(root, "", "")).filter(({ name }) => isDraft(basename(name))),
    get: (name) => readOrNone(resolveName(name)),
    put: (name, bytes) => writeDurably(resolveName(name), bytes),
    putIfAbsent: (name, bytes) => linkFile(resolveName(name), bytes),
    upload: (name, file) =>
      placeFile(resolveName(name), (draft) => copyFile(file, draft, constants.COPYFILE_FICLONE)),
    remove: (name) => rm(resolveName(name), { force: true }),
  };
}

async function readOrNone(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return undefined;
    throw new AuditlakeError(
      `cannot read ${path}: ${getMessage(error)}; correct the permissions of the lake`,
    );
  }
}

async function linkFile(path: string, bytes: Buffer): Promise<boolean> {
  try {
    await placeFile(path, (draft) => writeFile(draft, bytes, asNew), { put: link });
    return true;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    return (await readFile(path)).equals(bytes);
  }
}

async function listFiles(root: string, prefix: string, after: string): Promise<ListedFile[]> {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const found: ListedFile[] = [];
  for (const part of await listNames(join(root, folder))) {
    const name = `${folder}${part}`;
    if (!name.startsWith(prefix) || name <= after) continue;
    const facts = await stat(join(root, name)).catch(() => undefined);
    if (facts?.isFile()) found.push({ name, bytes: facts.size, changedMs: facts.mtimeMs });
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return [];
    throw new AuditlakeError(
      `cannot list ${folder}: ${getMessage(error)}; correct the permissions of the lake`,
    );
  }
}
