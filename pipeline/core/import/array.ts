import { findRecords } from "../records/envelope.ts";
import { CutOffError, PageError } from "../records/error.ts";
import { closeBracket, comma, skipSpace, skipValue } from "../records/structure.ts";
import { readAtLeast, checkPiece, type FileBytes } from "./bytes.ts";

/**
 * The record array of a JSON file whose beginning was read: a bare array or an envelope around one. Undefined where the
 * first value has none, or shows none within `mostBytes`. What was read is put back.
 */
export async function findArray(
  file: FileBytes,
  recordsAt: string | null,
  mostBytes: number,
): Promise<FoundArray> {
  let head = await readAtLeast(file, 1);
  for (;;) {
    const found = tryFind(head, recordsAt);
    if (!(found instanceof PageError)) return { head, array: found, fault: undefined };
    const more = head.length < mostBytes ? await file.extend(head, head.length) : head;
    if (more.length === head.length) return { head, array: undefined, fault: found };
    head = more;
  }
}

/** The beginning of a file, and where its record array begins in it. */
export type FoundArray = {
  readonly head: Buffer;
  readonly array: number | undefined;
  /** The fault, if no array was found and the first value was not read to its end. */
  readonly fault: PageError | undefined;
};

/**
 * Reads the records of an array that `findArray` found. Each page is an array of its own with the original bytes of the
 * file. The text around it stays in the file with the array empty, to be read as the rest. Throws PageError if the file
 * is cut off inside the array or has other values in it.
 */
export async function* readArrayPages(
  file: FileBytes,
  head: Buffer,
  array: number,
  pageBytes: number,
): AsyncGenerator<Buffer> {
  let bytes = head.subarray(array + 1);
  for (let isFirst = true; ;) {
    const { start, end, close } = findWholeElements(bytes, isFirst);
    if (end > start) {
      yield Buffer.concat([opening, bytes.subarray(start, end), closing]);
      isFirst = false;
    }
    if (close >= 0) {
      file.unread(bytes.subarray(close + 1));
      file.unread(Buffer.concat([head.subarray(0, array), opening, closing]));
      return;
    }
    const left = bytes.subarray(end);
    checkPiece(left.length);
    // The rest of a long record is read in growing steps, so that it is not scanned too often.
    bytes = await file.extend(left, Math.max(pageBytes, left.length));
    if (bytes.length === left.length) throw newTruncatedError();
  }
}

const opening = Buffer.from("[");
const closing = Buffer.from("]");

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
function findWholeElements(
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
      if (bytes[i] !== comma) throw newTruncatedError();
      i = skipSpace(bytes, i + 1);
    }
    const next = skipValue(bytes, i);
    if (next < 0) throw newTruncatedError();
    if (next === 0) return { start, end, close: -1 };
    if (end === 0) start = i;
    end = next;
    i = skipSpace(bytes, end);
  }
}

/** The error for a file that ends too early, or is no JSON where nothing shows the place. */
export function newTruncatedError(): CutOffError {
  return new CutOffError("the file is truncated or not complete JSON; no record of it was loaded");
}
