import { type FileHandle, open, readFile } from "node:fs/promises";
import { writeDurably } from "./durable.ts";
import { isCode } from "../errors.ts";

/** A file of lines that only grows; closing it waits until all of it is on the disk. */
export type GrowingFile = AsyncDisposable & {
  /** The lines that were there when it was opened. */
  readonly before: readonly string[];
  /** Puts a line behind the others; with `isSynced` it is on the disk when it resolves. */
  readonly append: (line: string, isSynced: boolean) => Promise<void>;
};

/**
 * Opens a file that grows, made (0600) where it is missing. A line that a crash cut off is taken away: what it was to
 * say was not on the disk yet. `check` sees the lines before anything is written, and may throw.
 */
export async function openGrowing(
  path: string,
  check: (lines: readonly string[]) => void | Promise<void>,
): Promise<GrowingFile> {
  const text = await textOf(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const before = whole.split("\n").slice(0, -1);
  await check(before);
  const file = await openAt(path, Buffer.byteLength(whole));
  return {
    before,
    append: async (line, isSynced) => {
      await file.appendFile(`${line}\n`);
      if (isSynced) await file.datasync();
    },
    [Symbol.asyncDispose]: async () => {
      await file.datasync();
      await file.close();
    },
  };
}

async function textOf(path: string): Promise<string> {
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
  await file.truncate(bytes);
  return file;
}
