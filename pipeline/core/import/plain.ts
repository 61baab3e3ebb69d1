import { createHash, type Hash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import { type FileBytes, keep, readFault } from "./bytes.ts";

const chunkBytes = 1024 * 1024;

/** What is made known of a file while it is read. */
export type FileWatch = {
  /** Takes the bytes as they lie on the disk, once and in order. */
  readonly take: (bytes: Buffer) => void;
  /** The hash of the bytes read so far. */
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
  return plainReader(await opened(path), watch);
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
function plainReader(file: FileHandle, { take, bytesRead }: FileWatch): FileBytes {
  const kept: Buffer[] = [];
  const extend = async (head: Buffer, count: number): Promise<Buffer> => {
    const front = [head, ...kept.splice(0).reverse()];
    const length = front.reduce((sum, part) => sum + part.length, 0);
    const left = await leftOf(file, bytesRead());
    const room = Math.max(length, Math.min(head.length + count, length + left));
    const bytes = Buffer.allocUnsafeSlow(room);
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
