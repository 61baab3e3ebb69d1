import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { getMessage } from "../../base/errors.ts";
import { computeSha256, makeFolder, syncFolder } from "../../base/home/durable.ts";
import { landedFolders, logFiles, readEntries, scanFileLine } from "./entries.ts";
import { type EntriesFacts, type FolderTimes, hashEntries, type Peaks } from "./peaks.ts";
import { fileKinds, formatLeaf, type NewLeaf, type ProgramLeaf } from "./leaf.ts";

/** What a leaf says of the program that wrote what follows. */
export type Program = Pick<ProgramLeaf, "version" | "catalog_sha256" | "bundle_sha256">;

/** The log of a home, open for its run. It never throws: a log that fails stops no ingest. */
export type EvidenceLog = {
  readonly landing: string;
  /** The lines of all leaves, without line ends. */
  readonly lines: readonly string[];
  /** The peaks of the tree that an earlier run stored; undefined if the entries differ from the entries of that run. */
  readonly peaks: Peaks | undefined;
  /** When the landed folders whose files all had an entry had changed last. */
  readonly folders: FolderTimes;
  /** The length and hash of all whole lines. */
  readonly describe: () => Pick<EntriesFacts, "bytes" | "sha256">;
  /** Whether no log existed before. */
  readonly isNew: boolean;
  /** Why the log can take no more leaves. */
  readonly fault: () => string | undefined;
  /** The index of the newest leaf of a landed file. */
  readonly findIndex: (path: string) => number | undefined;
  /** Adds the leaf of a landed file, unless the newest one of its path has this hash; with `isNew` it had none. */
  readonly addFile: (
    path: string,
    sha256: string,
    how?: { readonly isLater?: boolean; readonly isNew?: boolean },
  ) => void;
  /** Adds the leaf of a program, unless the newest one is the same. */
  readonly addProgram: (program: Program) => void;
  /** Waits until the disk has what was added. */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
};

const logs = new Map<string, EvidenceLog>();

/** The log of a landing folder that this process has open. */
export function findLog(landing: string): EvidenceLog | undefined {
  return logs.get(landing);
}

/** Adds the leaf of a file that is on the disk; `content` are its landed bytes. Outside a run the next run adds it. */
export function noteLanded(
  landing: string,
  path: string,
  content: Buffer | string,
  isNew = false,
): void {
  findLog(landing)?.addFile(path, computeSha256(content), { isNew });
}

/** Opens the log, made if missing; only the holder of the run lock may. Throws where it cannot be read or written. */
export async function openLog(landing: string, now: () => number): Promise<EvidenceLog> {
  const entries = readEntries(landing);
  const path = join(landing, logFiles.entries);
  await makeFolder(join(landing, logFiles.folder));
  const file = openSync(path, "a", 0o600);
  if (entries.isThere) ftruncateSync(file, entries.bytes.length);
  else await syncFolder(join(landing, logFiles.folder));
  const log = newLog(landing, entries, file, now);
  logs.set(landing, log);
  return log;
}

const syncFile = promisify(fdatasync);

function newLog(
  landing: string,
  { lines, bytes, isThere }: ReturnType<typeof readEntries>,
  file: number,
  now: () => number,
): EvidenceLog {
  const files = newFileIndex(lines);
  let program = lines.findLast((line) => line.includes('"kind":"program"'));
  const { hash, peaks, folders } = hashEntries(landing, bytes);
  let [size, isDirty] = [bytes.length, false];
  let fault: string | undefined;
  const append = (leaf: NewLeaf): void => {
    const line = formatLeaf(lines.length, leaf);
    try {
      if (fault !== undefined) return;
      isDirty = true;
      const written = Buffer.from(`${line}\n`);
      size += writeWhole(file, written);
      hash.update(written);
    } catch (error) {
      fault = getMessage(error);
      return cutBack(file, size);
    }
    if (leaf.kind !== "program") files.add(leaf.path, { index: lines.length, sha256: leaf.sha256 });
    if (leaf.kind === "program") program = line;
    lines.push(line);
  };
  return {
    landing,
    lines,
    peaks,
    folders,
    describe: () => ({ bytes: size, sha256: hash.copy().digest("hex") }),
    isNew: !isThere,
    fault: () => fault,
    findIndex: (path) => files.find(path)?.index,
    addFile: (path, sha256, { isLater = false, isNew = false } = {}) => {
      const kind = fileKinds.find((one) => path.startsWith(`${landedFolders[one].folder}/`));
      const known = isNew ? undefined : files.find(path);
      if (kind === undefined || known?.sha256 === sha256) return;
      append({ kind, path, sha256, at: stamp(now), ...(isLater && { later: true }) });
    },
    addProgram: (own) => {
      const { version, catalog_sha256, bundle_sha256 } = own;
      const content = JSON.stringify({ kind: "program", version, catalog_sha256, bundle_sha256 });
      if (program?.includes(content.slice(1, -1)) === true) return;
      append({ kind: "program", ...own, at: stamp(now) });
    },
    sync: async () => {
      if (!isDirty) return;
      isDirty = false;
      await syncFile(file).catch((error: unknown) => (fault ??= getMessage(error)));
    },
    close: () => {
      logs.delete(landing);
      closeSync(file);
    },
  };
}

function writeWhole(file: number, bytes: Buffer): number {
  const written = writeSync(file, bytes);
  if (written === bytes.length) return written;
  throw new Error("only a part of a line was written; free space");
}

type FileEntry = { readonly index: number; readonly sha256: string };

type FileIndex = {
  readonly find: (path: string) => FileEntry | undefined;
  readonly add: (path: string, entry: FileEntry) => void;
};

// Most runs ask for none of the entries from before, so these are looked through when one does.
function newFileIndex(lines: readonly string[]): FileIndex {
  const { length: before } = lines;
  const own = new Map<string, FileEntry>();
  let all: ReadonlyMap<string, FileEntry> | undefined;
  return {
    find: (path) => own.get(path) ?? (all ??= indexFiles(lines.slice(0, before))).get(path),
    add: (path, entry) => void own.set(path, entry),
  };
}

// The newest entry of each path.
function indexFiles(lines: readonly string[]): ReadonlyMap<string, FileEntry> {
  const files = new Map<string, FileEntry>();
  for (const [index, line] of lines.entries()) {
    const found = scanFileLine(line);
    if (found !== undefined) files.set(found.path, { index, sha256: found.sha256 });
  }
  return files;
}

// Half a line would make one of itself and the next.
function cutBack(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // The next run cuts it off.
  }
}

function stamp(now: () => number): string {
  return new Date(now()).toISOString();
}
