import { parse as parseCsv } from "csv-parse";
import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { messageOf } from "../errors.ts";
import { PageError } from "../page/error.ts";
import { detectFormat, type PageFormat } from "../page/records.ts";
import { newScan, skipSpace, skipValue } from "../page/scan.ts";

/** A piece of a file that holds whole records. */
export type FilePage = { readonly bytes: Buffer; readonly format: PageFormat };

const pageBytes = 8 * 1024 * 1024;
const maxPieceBytes = 512 * 1024 * 1024;

/**
 * A file of records as pages of some megabytes, cut between records: JSON (array or envelope),
 * newline-delimited JSON or CSV, plain, gzip or zstd, told by content. `onRead` gets the bytes read
 * from disk so far. Throws PageError on a file that is cut off or holds something else.
 */
export async function* readFilePages(
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<FilePage> {
  const chunks = openChunks(path, onRead);
  const [head, rest] = await peek(chunks);
  if (head.length === 0)
    throw new PageError("the file is empty; expected JSON, newline-delimited JSON or CSV");
  const format = detectFormat(head);
  if (format === "ndjson") yield* linePages(head, rest);
  else if (format === "csv") yield* csvPages(head, rest);
  else if (head[skipSpace(head, bomLength(head), newScan())] === 91) yield* arrayPages(head, rest);
  else yield { bytes: await readAll(head, rest), format };
}

async function* openChunks(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  const magic = await firstBytes(path);
  const decoder =
    magic === "1f8b" ? createGunzip() : magic === "28b5" ? createZstdDecompress() : undefined;
  const stream: Readable = decoder === undefined ? file : pipeline(file, decoder, () => undefined);
  try {
    for await (const chunk of stream) {
      onRead(file.bytesRead);
      yield chunk as Buffer;
    }
  } catch (error) {
    throw new PageError(`cannot read ${path}: ${messageOf(error)}; is it whole?`);
  }
}

async function firstBytes(path: string): Promise<string> {
  for await (const chunk of createReadStream(path, { end: 1 }))
    return (chunk as Buffer).toString("hex");
  return "";
}

// Enough of the beginning to tell the format: the whole first line where it is not too long.
async function peek(chunks: AsyncGenerator<Buffer>): Promise<[Buffer, AsyncGenerator<Buffer>]> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < maxPieceBytes) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    parts.push(value);
    length += value.length;
    if (value.includes(10)) break;
  }
  return [Buffer.concat(parts), chunks];
}

async function* linePages(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<FilePage> {
  let parts = [head];
  let length = head.length;
  for await (const chunk of rest) {
    parts.push(chunk);
    length += chunk.length;
    if (length < pageBytes) continue;
    const bytes = Buffer.concat(parts);
    const cut = bytes.lastIndexOf(10) + 1;
    checkPiece(bytes.length - cut);
    if (cut > 0) yield { bytes: bytes.subarray(0, cut), format: "ndjson" };
    parts = [bytes.subarray(cut)];
    length = bytes.length - cut;
  }
  if (length > 0) yield { bytes: Buffer.concat(parts), format: "ndjson" };
}

// A page of a long array is an array of its own, its bytes as they stand in the file.
async function* arrayPages(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<FilePage> {
  const scan = newScan();
  let bytes = head.subarray(skipSpace(head, bomLength(head), scan) + 1);
  let isFirst = true;
  for (;;) {
    const { end, closed } = wholeElements(bytes, isFirst);
    if (closed) {
      if (skipSpace(bytes, end + 1, scan) < bytes.length || !(await rest.next()).done)
        throw cutOff();
      return yield { bytes: wrap(bytes.subarray(0, end), isFirst), format: "json" };
    }
    if (end > 0) yield { bytes: wrap(bytes.subarray(0, end), isFirst), format: "json" };
    isFirst &&= end === 0;
    checkPiece(bytes.length - end);
    const more = await collect(rest);
    if (more.length === 0) throw cutOff();
    bytes = Buffer.concat([bytes.subarray(end), more]);
  }
}

// Where the last whole element ends, and whether the array's own end follows it.
function wholeElements(bytes: Buffer, isFirst: boolean): { end: number; closed: boolean } {
  const scan = newScan();
  let end = 0;
  let i = skipSpace(bytes, 0, scan);
  for (;;) {
    if (bytes[i] === 93) return { end: i, closed: true };
    if (end > 0 || !isFirst) {
      if (i >= bytes.length) return { end, closed: false };
      if (bytes[i] !== 44) throw cutOff();
      i = skipSpace(bytes, i + 1, scan);
    }
    const next = skipValue(bytes, i, scan);
    if (next < 0) throw cutOff();
    if (next === 0 || next >= bytes.length) return { end, closed: false };
    end = next;
    i = skipSpace(bytes, next, scan);
  }
}

function wrap(elements: Buffer, isFirst: boolean): Buffer {
  const text = isFirst ? elements : elements.subarray(elements.indexOf(44) + 1);
  return Buffer.concat([Buffer.from("["), text, Buffer.from("]")]);
}

async function* csvPages(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<FilePage> {
  const input = Readable.from(concat(head, rest), { objectMode: false });
  const parser = input.pipe(parseCsv({ columns: true, bom: true, skip_empty_lines: true }));
  input.on("error", (error) => parser.destroy(error));
  let lines: string[] = [];
  let length = 0;
  try {
    for await (const row of parser) {
      const line = JSON.stringify(row, (_key, value: unknown) =>
        value === "" ? undefined : value,
      );
      lines.push(line);
      length += line.length;
      if (length < pageBytes) continue;
      yield { bytes: Buffer.from(`${lines.join("\n")}\n`), format: "ndjson" };
      lines = [];
      length = 0;
    }
  } catch (error) {
    throw new PageError(`the CSV is cut off or malformed: ${messageOf(error).split("\n")[0]}`);
  }
  if (lines.length > 0) yield { bytes: Buffer.from(`${lines.join("\n")}\n`), format: "ndjson" };
}

async function* concat(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

async function collect(rest: AsyncGenerator<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  while (length < pageBytes) {
    const { value, done } = await rest.next();
    if (done === true) break;
    parts.push(value);
    length += value.length;
  }
  return Buffer.concat(parts);
}

async function readAll(head: Buffer, rest: AsyncGenerator<Buffer>): Promise<Buffer> {
  const parts = [head];
  let length = head.length;
  for await (const chunk of rest) {
    parts.push(chunk);
    length += chunk.length;
    checkPiece(length);
  }
  return Buffer.concat(parts);
}

function checkPiece(length: number): void {
  if (length > maxPieceBytes)
    throw new PageError(
      `one record or envelope is longer than ${maxPieceBytes / 1024 / 1024} MB; split the file, or write one record per line`,
    );
}

function bomLength(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function cutOff(): PageError {
  return new PageError("the file is cut off or is no JSON array; nothing of it was loaded");
}
