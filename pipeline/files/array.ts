import { findRecords, readEnvelope } from "../records/envelope.ts";
import { PageError } from "../records/error.ts";
import { closeBracket, comma, skipSpace, skipValue } from "../records/structure.ts";
import { atLeast, checkPiece, type FileBytes } from "./bytes.ts";

/**
 * The records of a JSON file, a bare array or an envelope around one. Each page is an array of its own with the bytes
 * as they stand in the file. Throws PageError where the file is cut off or holds something else.
 */
export async function* arrayPages(
  file: FileBytes,
  recordsAt: string | null,
  pageBytes: number,
): AsyncGenerator<Buffer> {
  const [head, array] = await findArray(file, recordsAt);
  if (array === undefined) return void readEnvelope(head, undefined, 0, recordsAt, []);
  let bytes = head.subarray(array + 1);
  for (let isFirst = true; ;) {
    const { start, end, close } = wholeElements(bytes, isFirst);
    if (end > start) {
      yield Buffer.concat([opening, bytes.subarray(start, end), closing]);
      isFirst = false;
    }
    if (close >= 0) {
      const tail = Buffer.concat([bytes.subarray(close + 1), await restOf(file)]);
      const around = Buffer.concat([head.subarray(0, array), opening, closing, tail]);
      readEnvelope(around, array, array + 2, recordsAt, []);
      return;
    }
    const left = bytes.subarray(end);
    checkPiece(left.length);
    // What is left of a long record is read in ever longer steps, so that it is not walked too often.
    bytes = await file.extend(left, Math.max(pageBytes, left.length));
    if (bytes.length === left.length) throw truncated();
  }
}

const opening = Buffer.from("[");
const closing = Buffer.from("]");

// Reads until the beginning of the record array is there; undefined where the whole file has none.
async function findArray(
  file: FileBytes,
  recordsAt: string | null,
): Promise<[Buffer, number | undefined]> {
  let head = await atLeast(file, 1);
  for (;;) {
    const found = tryFind(head, recordsAt);
    if (typeof found === "number") return [head, found];
    const more = await file.extend(head, head.length);
    if (more.length === head.length) {
      if (found instanceof PageError) throw found;
      return [head, undefined];
    }
    head = more;
    checkPiece(head.length);
  }
}

// The error is what it means where no more bytes come.
function tryFind(bytes: Buffer, recordsAt: string | null): number | PageError | undefined {
  try {
    return findRecords(bytes, recordsAt);
  } catch (error) {
    if (error instanceof PageError) return error;
    throw error;
  }
}

// The range of the elements that are whole, without the comma before the first, and where the array closes.
function wholeElements(
  bytes: Buffer,
  isFirst: boolean,
): { start: number; end: number; close: number } {
  let i = skipSpace(bytes, 0);
  if (isFirst && bytes[i] === closeBracket) return { start: 0, end: 0, close: i };
  let start = 0;
  let end = 0;
  for (let isNext = !isFirst; ; isNext = true) {
    if (isNext) {
      if (i === bytes.length) return { start, end, close: -1 };
      if (bytes[i] === closeBracket) return { start, end, close: i };
      if (bytes[i] !== comma) throw truncated();
      i = skipSpace(bytes, i + 1);
    }
    const next = skipValue(bytes, i);
    if (next < 0) throw truncated();
    if (next === 0) return { start, end, close: -1 };
    if (end === 0) start = i;
    end = next;
    i = skipSpace(bytes, end);
  }
}

async function restOf(file: FileBytes): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for (let next = await file.read(); next !== undefined; next = await file.read()) {
    length += next.length;
    checkPiece(length);
    parts.push(next);
  }
  return Buffer.concat(parts);
}

function truncated(): PageError {
  return new PageError("the file is cut off or is no whole JSON; nothing of it was loaded");
}
