import { isCode } from "../../base/errors.ts";
import { describeUnreadable } from "../../base/home/given-file.ts";
import { PageError } from "../records/error.ts";
import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

/** The bytes of a file, unpacked where it is packed, the rows of Parquet as lines; closed by `await using`. */
export type FileBytes = AsyncDisposable & {
  /** The next bytes; undefined at the end. Throws PageError where the file cannot be read on. */
  readonly read: () => Promise<Buffer | undefined>;
  /** Puts bytes back to be read next. */
  readonly unread: (bytes: Buffer) => void;
  /** Bytes read before with `count` or more of the next behind them, in one piece; fewer at the end. */
  readonly extend: (head: Buffer, count: number) => Promise<Buffer>;
};

/** The longest piece of a file that is held in memory at once. */
export const maxPieceBytes = 256 * 1024 * 1024;

/** Reads a stream of bytes piece by piece; `atEnd` is called where they end, and may throw. */
export function newStreamReader(
  stream: AsyncIterable<Buffer>,
  atEnd: () => Promise<void>,
): Omit<FileBytes, typeof Symbol.asyncDispose> {
  const chunks = stream[Symbol.asyncIterator]();
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
    extend: async (head, count) => Buffer.concat([head, await readAtLeast({ read }, count)]),
  };
}

/** Converts an error of the file system or of unpacking to a PageError; own errors stay unchanged. */
export function readFault(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error) || error instanceof PageError) return error;
  const what = isCode(error, "Z_BUF_ERROR")
    ? "is truncated inside its compressed data"
    : `cannot be read: ${describeUnreadable(error)}`;
  return new PageError(`the file ${what}; no record of it was loaded`);
}

/** Puts bytes back before the following ones. A piece without bytes would mean the end of the file. */
export function keep(kept: Buffer[], bytes: Buffer): void {
  if (bytes.length > 0) kept.push(bytes);
}

/** All bytes that are left, piece by piece. */
export async function* readAll(bytes: Pick<FileBytes, "read">): AsyncGenerator<Buffer> {
  for (let next = await bytes.read(); next !== undefined; next = await bytes.read()) yield next;
}

/** The next bytes in one piece, `count` of them or more where there are so many. */
export async function readAtLeast(bytes: Pick<FileBytes, "read">, count: number): Promise<Buffer> {
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
      `a record, or the text around the records, is longer than ${maxPieceBytes / 1024 / 1024} MB; split the file, or write one record per line`,
    );
}

const chunkBytes = 1024 * 1024;

export type FileWatch = {
  /** Takes the bytes as they lie on the disk, once and in order. */
  readonly take: (bytes: Buffer) => void;
  readonly hash: Hash;
  readonly bytesRead: () => number;
};

/** A watch that passes on how far a file has been read. */
export function watchBytes(onRead: (bytes: number) => void): FileWatch {
  const hash = createHash("sha256");
  let bytesRead = 0;
  const take = (bytes: Buffer): void => {
    hash.update(bytes);
    onRead((bytesRead += bytes.length));
  };
  return { take, hash, bytesRead: () => bytesRead };
}

/** Opens a file as it lies on the disk. Throws PageError. */
export async function openPlain(path: string, watch: FileWatch): Promise<FileBytes> {
  return newPlainReader(await openFile(path), watch);
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path);
  } catch (error) {
    throw readFault(error);
  }
}

// Reads a plain file directly into the requested piece, sized to the remaining bytes. Copies and buffers of many
// megabytes are expensive: each triggers a full garbage collection.
function newPlainReader(file: FileHandle, { take, bytesRead }: FileWatch): FileBytes {
  const kept: Buffer[] = [];
  const extendHead = async (head: Buffer, count: number): Promise<Buffer> => {
    const front = [head, ...kept.splice(0).reverse()];
    const length = front.reduce((sum, part) => sum + part.length, 0);
    const left = await countBytesLeft(file, bytesRead());
    const capacity = Math.max(length, Math.min(head.length + count, length + left));
    const bytes = Buffer.allocUnsafeSlow(capacity);
    let end = 0;
    for (const part of front) end += part.copy(bytes, end);
    const fresh = end;
    try {
      while (end < bytes.length) {
        const more = (await file.read(bytes, end, bytes.length - end)).bytesRead;
        if (more === 0) break;
        end += more;
      }
    } catch (error) {
      throw readFault(error);
    }
    take(bytes.subarray(fresh, end));
    return bytes.subarray(0, end);
  };
  const read = async (): Promise<Buffer | undefined> => {
    const next = kept.pop() ?? (await extendHead(Buffer.alloc(0), chunkBytes));
    return next.length > 0 ? next : undefined;
  };
  return {
    read,
    unread: (bytes) => keep(kept, bytes),
    extend: extendHead,
    [Symbol.asyncDispose]: async () => file.close(),
  };
}

// Some files report size 0 and still have content.
const leastBytes = 64 * 1024;

// The remaining size of a pipe is unknown.
async function countBytesLeft(file: FileHandle, bytesRead: number): Promise<number> {
  try {
    const found = await file.stat();
    return found.isFile() ? Math.max(found.size - bytesRead, leastBytes) : Infinity;
  } catch (error) {
    throw readFault(error);
  }
}
