import { open } from "node:fs/promises";

// A Parquet file ends with its metadata, their length in four bytes and a magic word. The metadata, a struct in the
// compact protocol of Thrift, name the program that wrote the file: `created_by`, a binary of less than 128 bytes behind
// one byte of type and one of length.

const magic = "PAR1";
const writer = /^DuckDB version [^\0]*$/;
const constantWriter = Buffer.from("DuckDB version 1 (build 0)");

/**
 * Replaces the version of the database in the metadata of a Parquet file by a constant one. The same rows then give the
 * same bytes in every version that packs them alike.
 */
export async function removeWriterVersion(path: string): Promise<void> {
  await using file = await open(path, "r+");
  const { size } = await file.stat();
  const tail = await readBytes(file, size - 8, 8);
  const length = tail.readUInt32LE(0);
  if (tail.toString("latin1", 4) !== magic || length + 8 > size) return;
  const footer = replaceWriter(await readBytes(file, size - 8 - length, length));
  if (footer === undefined) return;
  const end = Buffer.alloc(8, magic);
  end.writeUInt32LE(footer.length);
  end.write(magic, 4, "latin1");
  await file.write(Buffer.concat([footer, end]), 0, footer.length + 8, size - 8 - length);
  await file.truncate(size - length + footer.length);
}

type Handle = Awaited<ReturnType<typeof open>>;

async function readBytes(file: Handle, start: number, length: number): Promise<Buffer> {
  return (await file.read(Buffer.alloc(length), 0, length, start)).buffer;
}

// Behind it are only orders of columns, which hold no text; statistics of the columns are before.
function replaceWriter(footer: Buffer): Buffer | undefined {
  const start = footer.lastIndexOf("DuckDB version ");
  const length = start < 1 ? 0 : footer[start - 1]!;
  const found = footer.toString("latin1", start, start + length);
  if (length >= 128 || !writer.test(found)) return undefined;
  return Buffer.concat([
    footer.subarray(0, start - 1),
    Buffer.of(constantWriter.length),
    constantWriter,
    footer.subarray(start + length),
  ]);
}
