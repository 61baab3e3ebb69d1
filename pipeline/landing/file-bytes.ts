import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { isCode, messageOf } from "../errors.ts";
import { PageError } from "../page/error.ts";
import { cutAtFrames } from "./zstd-frames.ts";

/** The bytes of a file, unpacked where it is packed; closed by `await using`. */
export type FileBytes = AsyncDisposable & {
  /** The next bytes; undefined at the end. Throws PageError where the file cannot be read on. */
  readonly read: () => Promise<Buffer | undefined>;
  /** Puts bytes back: they are what is read next. */
  readonly unread: (bytes: Buffer) => void;
};

/** The longest piece of a file that is held in memory at once. */
export const maxPieceBytes = 256 * 1024 * 1024;

const chunkBytes = 1024 * 1024;

/** Opens a file, plain, gzip or zstd as its first bytes say; `onRead` gets the bytes read from disk so far. */
export async function openBytes(path: string, onRead: (bytes: number) => void): Promise<FileBytes> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  const packed = readerOf(file, () => onRead(file.bytesRead));
  const head = await atLeast(packed, 4);
  if (head.length > 0) packed.unread(head);
  const magic = head.toString("hex", 0, 4);
  const bytes = allOf(packed);
  const [input, decoder] = magic.startsWith("1f8b")
    ? [bytes, createGunzip({ chunkSize: chunkBytes })]
    : magic === "28b52ffd" || /^5.2a4d18$/.test(magic)
      ? [cutAtFrames(bytes), createZstdDecompress({ chunkSize: chunkBytes })]
      : [undefined, undefined];
  if (decoder === undefined) return packed;
  const stream = pipeline(Readable.from(input), decoder, () => undefined);
  const close = async (): Promise<void> => {
    stream.destroy();
    await packed[Symbol.asyncDispose]();
  };
  return { ...readerOf(stream, () => undefined), [Symbol.asyncDispose]: close };
}

function readerOf(stream: Readable, onChunk: () => void): FileBytes {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const kept: Buffer[] = [];
  const read = async (): Promise<Buffer | undefined> => {
    const first = kept.pop();
    if (first !== undefined) return first;
    try {
      const { value, done } = await chunks.next();
      if (done === true) return undefined;
      onChunk();
      return value;
    } catch (error) {
      throw readFault(error);
    }
  };
  const close = (): Promise<void> => {
    stream.destroy();
    return Promise.resolve();
  };
  return {
    read,
    unread: (bytes) => void kept.push(bytes),
    [Symbol.asyncDispose]: close,
  };
}

// What the file system or the unpacking says; an error of our own stays what it is.
function readFault(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error) || error instanceof PageError) return error;
  const what = isCode(error, "Z_BUF_ERROR")
    ? "is cut off inside its compressed data"
    : `cannot be read: ${messageOf(error)}`;
  return new PageError(`the file ${what}; nothing of it was loaded`);
}

/** All bytes that are left, piece by piece. */
export async function* allOf(bytes: FileBytes): AsyncGenerator<Buffer> {
  for (let next = await bytes.read(); next !== undefined; next = await bytes.read()) yield next;
}

/** The next bytes in one piece, `count` of them or more where there are so many. */
export async function atLeast(bytes: FileBytes, count: number): Promise<Buffer> {
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
