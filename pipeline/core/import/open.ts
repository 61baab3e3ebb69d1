import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { PageError } from "../records/error.ts";
import {
  readAll,
  readAtLeast,
  type FileBytes,
  type FileWatch,
  openPlain,
  newStreamReader,
} from "./bytes.ts";
import { openParquetLines } from "./parquet.ts";
import { parquetMagic } from "./kinds.ts";

const chunkBytes = 1024 * 1024;
// Some storage compresses compressed files again.
const mostLayers = 4;

/** Opens a file by its first bytes: plain, gzip or zstd, also nested, or Parquet. */
export async function openBytes(path: string, watch: FileWatch): Promise<FileBytes> {
  let file = await openPlain(path, watch);
  try {
    let magic = await readMagic(file);
    if (magic === parquetMagic) return await openParquetLines(path, file);
    for (let layer = 0; isPacked(magic); layer++) {
      if (layer === mostLayers)
        throw new PageError(
          `the file is compressed more than ${mostLayers} times; decompress it first`,
        );
      file = magic.startsWith(gzipMagic) ? openGzip(file) : openZstd(file);
      magic = await readMagic(file);
    }
    return file;
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

const gzipMagic = "1f8b";

function isPacked(magic: string): boolean {
  return magic.startsWith(gzipMagic) || magic === "28b52ffd" || /^5.2a4d18$/.test(magic);
}

function openZstd(packed: FileBytes): FileBytes {
  const decoder = createZstdDecompress({ chunkSize: chunkBytes });
  return openUnpacked(packed, splitAtFrames(readAll(packed)), decoder, () => Promise.resolve());
}

function openGzip(packed: FileBytes): FileBytes {
  const decoder = createGunzip({ chunkSize: chunkBytes });
  const rest = newRest(packed, () => decoder.bytesWritten);
  return openUnpacked(packed, readAll(rest), decoder, rest.check);
}

function openUnpacked(
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
  return { ...newStreamReader(stream, atEnd), [Symbol.asyncDispose]: close };
}

async function readMagic(file: FileBytes): Promise<string> {
  const head = await readAtLeast(file, 4);
  file.unread(head);
  return head.toString("hex", 0, 4);
}

/** Packed bytes on their way to a decoder. */
type Rest = {
  /** The next packed bytes; undefined at the end. */
  readonly read: () => Promise<Buffer | undefined>;
  /** To be called where the unpacked bytes end: throws PageError where packed ones were passed over. */
  readonly check: () => Promise<void>;
};

/**
 * Keeps what the decoder has not `taken` yet. Node's gunzip ends at a zero byte after a member and ignores everything
 * after it (github.com/nodejs/node/pull/5883). Zeros up to the end are padding. Anything else may be further members
 * with their records.
 */
function newRest(packed: Pick<Rest, "read">, taken: () => number): Rest {
  const kept: Buffer[] = [];
  let keptFrom = 0;
  let last: Promise<Buffer | undefined> = Promise.resolve(undefined);
  const readOn = async (): Promise<Buffer | undefined> => {
    const next = await packed.read();
    if (next !== undefined) kept.push(next);
    while (kept.length > 0 && keptFrom + kept[0]!.length <= taken())
      keptFrom += kept.shift()!.length;
    return next;
  };
  // The decoder may have a read of its own under way when its bytes end; the check comes after that.
  const read = (): Promise<Buffer | undefined> => (last = last.then(readOn));
  const checkRest = (): void => {
    for (const part of kept.splice(0)) {
      const passedOver = part.subarray(Math.max(0, taken() - keptFrom));
      keptFrom += part.length;
      if (passedOver.some((byte) => byte !== 0))
        throw new PageError(
          "the file continues after zero bytes in its gzip data; no record of it was loaded; compress it again without them",
        );
    }
  };
  const check = async (): Promise<void> => {
    await last;
    do checkRest();
    while ((await read()) !== undefined);
  };
  return { read, check };
}

// A zstd file may be several frames one after the other, as parallel packers and `cat` make them. The decoder
// passes over what follows a frame inside one write, so no write may go past the end of a frame (RFC 8878).

/** A step through a frame: `readNext` gets the bytes it needs; undefined after the last step of the frame. */
type Step = {
  readonly need: number;
  readonly next: (bytes: Buffer) => Step | undefined;
};

const mostRead = 4;

/** Splits bytes at the ends of frames; bytes outside a frame pass unchanged, for the decoder to reject. */
export async function* splitAtFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let step = frame;
  let missing = step.need;
  let read: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length;) {
      const end = Math.min(at + missing, chunk.length);
      if (step.need <= mostRead) read.push(chunk.subarray(at, end));
      missing -= end - at;
      at = end;
      if (missing > 0) break;
      const next = step.next(Buffer.concat(read));
      if (next === undefined) {
        yield chunk.subarray(start, at);
        start = at;
      }
      step = next ?? frame;
      missing = step.need;
      read = [];
    }
    if (start < chunk.length) yield chunk.subarray(start);
  }
}

const frame: Step = {
  need: 4,
  next: (bytes) => {
    const magic = bytes.readUInt32LE();
    if (magic === 0xfd2fb528) return { need: 1, next: ([first = 0]) => readHeader(first) };
    if (magic >>> 4 === 0x184d2a5)
      return { need: 4, next: (size) => skipBytes(size.readUInt32LE(), undefined) };
    return { need: Infinity, next: () => undefined };
  },
};

function readHeader(descriptor: number): Step | undefined {
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const blocks = readBlock((descriptor & 4) !== 0);
  return skipBytes((isSingle ? 0 : 1) + dictionaryBytes + sizeBytes, blocks);
}

function readBlock(hasChecksum: boolean): Step {
  const readNext = (bytes: Buffer): Step | undefined => {
    const head = bytes.readUIntLE(0, 3);
    const isRepeat = ((head >> 1) & 3) === 1;
    const end = hasChecksum ? skipBytes(4, undefined) : undefined;
    return skipBytes(isRepeat ? 1 : head >> 3, (head & 1) === 0 ? readBlock(hasChecksum) : end);
  };
  return { need: 3, next: readNext };
}

function skipBytes(count: number, after: Step | undefined): Step | undefined {
  return count === 0 ? after : { need: count, next: () => after };
}
