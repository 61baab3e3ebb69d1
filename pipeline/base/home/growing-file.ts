import { type FileHandle, open, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { asNew, syncFolder, writeDurably, writeFault } from "./durable.ts";
import { isCode } from "../errors.ts";

/**
 * Appends lines to a file, created (0600) if missing; durable when it resolves. A line that a crash truncated is ended
 * first, and readers of the file skip it. Throws AuditlakeError if it cannot be written.
 */
export async function appendLines(path: string, lines: readonly string[]): Promise<void> {
  try {
    await using file = await open(path, "a+", asNew.mode);
    const { size } = await file.stat();
    const end = size === 0 ? "\n" : await readLastByte(file, size);
    await file.appendFile((end === "\n" ? "" : "\n") + lines.map((line) => `${line}\n`).join(""));
    await file.datasync();
    if (size === 0) await syncFolder(dirname(path));
  } catch (error) {
    throw writeFault(path, error);
  }
}

async function readLastByte(file: FileHandle, size: number): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString();
}

/** A file of lines that only grows; closing it waits until all of it is on the disk. */
export type GrowingFile = AsyncDisposable & {
  /** Lines that existed when the file was opened. */
  readonly before: readonly string[];
  /**
   * Puts a line behind the others; with `isSynced` it is on the disk when it resolves. Throws AuditlakeError where it
   * cannot be written.
   */
  readonly append: (line: string, isSynced: boolean) => Promise<void>;
};

/**
 * Opens a growing file, created (0600) if missing. A truncated last line is removed, since it was never synced. `check`
 * sees the lines before anything is written, and may throw.
 */
export async function openGrowing(
  path: string,
  check: (lines: readonly string[]) => void | Promise<void>,
): Promise<GrowingFile> {
  const text = await readText(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const before = whole.split("\n").slice(0, -1);
  await check(before);
  let size = Buffer.byteLength(whole);
  const file = await openAt(path, size);
  let turn = Promise.resolve();
  const appendLine = async (line: string, isSynced: boolean): Promise<void> => {
    try {
      await file.appendFile(`${line}\n`);
      size += Buffer.byteLength(line) + 1;
      if (isSynced) await file.datasync();
    } catch (error) {
      // Half a line would merge with the next one.
      await file.truncate(size).catch(() => undefined);
      throw writeFault(path, error);
    }
  };
  return {
    before,
    append: (line, isSynced) => {
      const mine = turn.then(() => appendLine(line, isSynced));
      turn = mine.catch(() => undefined);
      return mine;
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
    },
  };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT")) return "";
    throw error;
  }
}

async function openAt(path: string, bytes: number): Promise<FileHandle> {
  if (bytes === 0) await writeDurably(path, Buffer.alloc(0));
  const file = await open(path, "a", 0o600);
  try {
    await file.truncate(bytes);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
