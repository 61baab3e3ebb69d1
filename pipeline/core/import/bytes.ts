import { isCode } from "../../base/errors.ts";
import { whyUnreadable } from "../../base/home/given-file.ts";
import { PageError } from "../records/error.ts";

/** The bytes of a file, unpacked where it is packed, the rows of Parquet as lines; closed by `await using`. */
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

/** Reads a stream of bytes piece by piece; `atEnd` is called where they end, and may throw. */
export function streamReader(
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
    extend: async (head, count) => Buffer.concat([head, await atLeast({ read }, count)]),
  };
}

/** What the file system or the unpacking says as a PageError; an error of our own stays what it is. */
export function readFault(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error) || error instanceof PageError) return error;
  const what = isCode(error, "Z_BUF_ERROR")
    ? "is cut off inside its compressed data"
    : `cannot be read: ${whyUnreadable(error)}`;
  return new PageError(`the file ${what}; nothing of it was loaded`);
}

/** Puts bytes back before those that follow. A piece without bytes would be taken for the end. */
export function keep(kept: Buffer[], bytes: Buffer): void {
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
