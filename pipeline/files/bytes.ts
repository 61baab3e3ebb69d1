import { open, type FileHandle } from "node:fs/promises";
import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { isCode } from "../errors.ts";
import { whyUnreadable } from "../home/given-file.ts";
import { PageError } from "../records/error.ts";
import { newRest } from "./gzip-rest.ts";
import { splitAtFrames } from "./zstd-frames.ts";

/** The bytes of a file, unpacked where it is packed; closed by `await using`. */
export type FileBytes = AsyncDisposable & {
  /** The next bytes; undefined at the end. Throws PageError where the file cannot be read on. */
  readonly read: () => Promise<Buffer | undefined>;
  /** Puts bytes back: they are what is read next. */
  readonly unread: (bytes: Buffer) => void;
  /** Bytes read before with `count` or more of the next behind them, in one piece; fewer at the end. */
  readonly extend: (head: Buffer, count: number) => Promise<Buffer>;
};

/** The longest piece of a file that is held in memory at once. */
export const maxPieceBytes = 256 * 1024 * 1024;

const chunkBytes = 1024 * 1024;

/** Opens a file, plain, gzip or zstd as its first bytes say; `onRead` gets the bytes read from disk so far. */
export async function openBytes(path: string, onRead: (bytes: number) => void): Promise<FileBytes> {
  const packed = plainReader(await opened(path), onRead);
  const magic = await magicOf(packed);
  if (magic.startsWith("1f8b")) return gunzipped(packed);
  if (magic !== "28b52ffd" && !/^5.2a4d18$/.test(magic)) return packed;
  const decoder = createZstdDecompress({ chunkSize: chunkBytes });
  return unpacked(packed, splitAtFrames(allOf(packed)), decoder, () => Promise.resolve());
}

function gunzipped(packed: FileBytes): FileBytes {
  const decoder = createGunzip({ chunkSize: chunkBytes });
  const rest = newRest(packed, () => decoder.bytesWritten);
  return unpacked(packed, allOf(rest), decoder, rest.check);
}

function unpacked(
  packed: FileBytes,
  input: AsyncIterable<Buffer>,
  decoder: Transform,
  atEnd: () => Promise<void>,
): FileBytes {
  const stream = pipeline(Readable.from(input), decoder, () => undefined);
  const close = async (): Promise<void> => {
    stream.destroy();
    await packed[Symbol.asyncDispose]();
  };
  return { ...streamReader(stream, atEnd), [Symbol.asyncDispose]: close };
}

async function magicOf(file: FileBytes): Promise<string> {
  try {
    const head = await atLeast(file, 4);
    file.unread(head);
    return head.toString("hex", 0, 4);
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw readFault(error);
  }
}

// A plain file is read straight into the piece that is asked for, of no more than is left. Copies and room of many
// megabytes cost more than they seem: each makes the garbage collector look through everything.
function plainReader(file: FileHandle, onRead: (bytes: number) => void): FileBytes {
  const kept: Buffer[] = [];
  let bytesRead = 0;
  const extend = async (head: Buffer, count: number): Promise<Buffer> => {
    const front = [head, ...kept.splice(0).reverse()];
    const length = front.reduce((sum, part) => sum + part.length, 0);
    const left = await leftOf(file, bytesRead);
    const room = Math.max(length, Math.min(head.length + count, length + left));
    const bytes = Buffer.allocUnsafeSlow(room);
    let end = 0;
    for (const part of front) end += part.copy(bytes, end);
    try {
      while (end < bytes.length) {
        const more = (await file.read(bytes, end, bytes.length - end)).bytesRead;
        if (more === 0) break;
        end += more;
        bytesRead += more;
      }
    } catch (error) {
      throw readFault(error);
    }
    onRead(bytesRead);
    return bytes.subarray(0, end);
  };
  const read = async (): Promise<Buffer | undefined> => {
    const next = kept.pop() ?? (await extend(Buffer.alloc(0), chunkBytes));
    return next.length > 0 ? next : undefined;
  };
  return {
    read,
    unread: (bytes) => keep(kept, bytes),
    extend,
    [Symbol.asyncDispose]: async () => file.close(),
  };
}

// Some files say that they hold nothing, and give something when they are read.
const leastBytes = 64 * 1024;

// What a pipe still gives nobody knows.
async function leftOf(file: FileHandle, bytesRead: number): Promise<number> {
  try {
    const found = await file.stat();
    return found.isFile() ? Math.max(found.size - bytesRead, leastBytes) : Infinity;
  } catch (error) {
    throw readFault(error);
  }
}

function streamReader(
  stream: Readable,
  atEnd: () => Promise<void>,
): Omit<FileBytes, typeof Symbol.asyncDispose> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const kept: Buffer[] = [];
  const read = async (): Promise<Buffer | undefined> => {
    const first = kept.pop();
    if (first !== undefined) return first;
    try {
      const { value, done } = await chunks.next();
      if (done !== true) return value;
      await atEnd();
      return undefined;
    } catch (error) {
      throw readFault(error);
    }
  };
  return {
    read,
    unread: (bytes) => keep(kept, bytes),
    extend: async (head, count) => Buffer.concat([head, await atLeast({ read }, count)]),
  };
}

// What the file system or the unpacking says; an error of our own stays what it is.
function readFault(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error) || error instanceof PageError) return error;
  const what = isCode(error, "Z_BUF_ERROR")
    ? "is cut off inside its compressed data"
    : `cannot be read: ${whyUnreadable(error)}`;
  return new PageError(`the file ${what}; nothing of it was loaded`);
}

// A piece without bytes would be taken for the end.
function keep(kept: Buffer[], bytes: Buffer): void {
  if (bytes.length > 0) kept.push(bytes);
}

/** All bytes that are left, piece by piece. */
export async function* allOf(bytes: Pick<FileBytes, "read">): AsyncGenerator<Buffer> {
  for (let next = await bytes.read(); next !== undefined; next = await bytes.read()) yield next;
}

/** The next bytes in one piece, `count` of them or more where there are so many. */
export async function atLeast(bytes: Pick<FileBytes, "read">, count: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < count) {
    const next = await bytes.read();
    if (next === undefined) break;
    parts.push(next);
    length += next.length;
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** Throws PageError where a piece without an end grows too long. */
export function checkPiece(length: number): void {
  if (length > maxPieceBytes)
    throw new PageError(
      `a record, or what stands around the records, is longer than ${maxPieceBytes / 1024 / 1024} MB; split the file, or write one record per line`,
    );
}
