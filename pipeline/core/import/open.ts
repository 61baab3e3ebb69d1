import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { PageError } from "../records/error.ts";
import { allOf, atLeast, type FileBytes, streamReader } from "./bytes.ts";
import { newRest } from "./gzip-rest.ts";
import { parquetMagic } from "./kinds.ts";
import { openParquetLines } from "./parquet.ts";
import { type FileWatch, openPlain } from "./plain.ts";
import { splitAtFrames } from "./zstd-frames.ts";

const chunkBytes = 1024 * 1024;
// Some storage packs once more what was packed when it came.
const mostLayers = 4;

/** Opens a file: plain, gzip or zstd, also one inside the other, or Parquet, as its first bytes say. */
export async function openBytes(path: string, watch: FileWatch): Promise<FileBytes> {
  let file = await openPlain(path, watch);
  try {
    let magic = await magicOf(file);
    if (magic === parquetMagic) return await openParquetLines(path, file);
    for (let layer = 0; isPacked(magic); layer++) {
      if (layer === mostLayers)
        throw new PageError(
          `the file is packed more than ${mostLayers} times over; unpack it first`,
        );
      file = magic.startsWith(gzipMagic) ? gunzipped(file) : unzstd(file);
      magic = await magicOf(file);
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

function unzstd(packed: FileBytes): FileBytes {
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
  const head = await atLeast(file, 4);
  file.unread(head);
  return head.toString("hex", 0, 4);
}
