import { hasRecordArray, isBeside, mostLookedAt, showsRecord } from "./arrays.ts";
import { checkEmpty, checkNoFault } from "./empty.ts";
import { CutOffError, LastingPageError, PageError } from "./error.ts";
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  skipSpace,
  skipValue,
} from "./structure.ts";
import { readValueAt } from "./signs.ts";
import { markLength, parseExactly } from "./text.ts";

const maxDepth = 4;

/**
 * Finds the position of the opening bracket of the record array by walking the members above it; undefined in a body
 * without records. `recordsAt` is its dotted path; a null value there means no records. Without a path, the body is a
 * bare array, or the first array whose elements look like records counts. Throws PageError if the bytes end before the
 * array, or the path has no array.
 */
export function findRecords(bytes: Buffer, recordsAt: string | null): number | undefined {
  const start = skipSpace(bytes, markLength(bytes));
  if (bytes[start] === openBracket) return start;
  return recordsAt === null
    ? findFirstRecordArray(bytes, start, 0)
    : findArrayAt(bytes, start, recordsAt.split("."));
}

function findFirstRecordArray(bytes: Buffer, object: number, depth: number): number | undefined {
  for (const { key, value } of listMembers(bytes, object)) {
    const first = bytes[value];
    if (first === openBracket && !isBeside(key) && looksLikeRecords(bytes, value)) return value;
    if (first !== openBrace || depth === maxDepth) continue;
    const inside = findFirstRecordArray(bytes, value, depth + 1);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** Whether an array holds records, by its first elements; throws PageError where the bytes end before it shows. */
export function looksLikeRecords(bytes: Buffer, array: number): boolean {
  let looked = 0;
  let i = skipSpace(bytes, array + 1);
  while (bytes[i] === openBrace && looked < mostLookedAt) {
    if (showsRecord(listKeys(bytes, i))) return true;
    looked += 1;
    i = skipSpace(bytes, assertWithin(skipValue(bytes, i)));
    if (bytes[i] === comma) i = skipSpace(bytes, i + 1);
  }
  if (i === bytes.length) throw newTruncatedError();
  return false;
}

/** The keys of an object as far as it can be walked: a damaged one shows those before the damage. */
export function* listKeys(bytes: Buffer, object: number): Generator<string> {
  try {
    for (const { key } of listMembers(bytes, object)) yield key;
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
  }
}

// A body that names a fault may well have a list of them, and no records.
const faultKeys = /^(error|fault|warning|message|problem)s?$/i;

function findArrayAt(bytes: Buffer, object: number, path: readonly string[]): number | undefined {
  let elsewhere: string | undefined;
  for (const { key, value } of listMembers(bytes, object)) {
    if (key !== path[0]) {
      const isArray = bytes[value] === openBracket;
      if (isArray && bytes[skipSpace(bytes, value + 1)] === openBrace && !faultKeys.test(key))
        elsewhere ??= key;
      continue;
    }
    if (path.length > 1) return findArrayAt(bytes, value, path.slice(1));
    if (bytes[value] === openBracket) return value;
    // An empty list of some languages; the whole body is judged where it is parsed.
    if (bytes.toString("latin1", value, value + 4) === "null") return undefined;
    throw new PageError(`${key} of the body is not an array; see sources.<name>.audits.records_at`);
  }
  const missing = `the body has no ${path.join(".")}`;
  if (elsewhere === undefined)
    throw new PageError(`${missing}; see sources.<name>.audits.records_at`);
  throw new LastingPageError(
    `${missing}, but an array of objects at ${JSON.stringify(elsewhere)}; correct sources.<name>.audits.records_at`,
  );
}

type Member = { readonly key: string; /** Where the value starts. */ readonly value: number };

/**
 * The members of the object at `object`, each before its value is walked over; returns the first byte after
 * the object. Throws PageError where the bytes end before it does.
 */
export function* listMembers(bytes: Buffer, object: number): Generator<Member, number> {
  if (bytes[object] !== openBrace) return object;
  let i = skipSpace(bytes, object + 1);
  while (bytes[i] === quote) {
    const keyEnd = assertWithin(skipValue(bytes, i));
    const after = skipSpace(bytes, keyEnd);
    if (bytes[after] !== colon) throw newTruncatedError();
    const value = skipSpace(bytes, after + 1);
    yield { key: String(parseExactly(bytes.subarray(i, keyEnd))), value };
    i = skipSpace(bytes, assertWithin(skipValue(bytes, value)));
    if (bytes[i] !== comma) break;
    i = skipSpace(bytes, i + 1);
  }
  if (bytes[i] !== closeBrace) throw newTruncatedError();
  return i + 1;
}

/**
 * Takes the range of each element of the array at `array` and returns the first byte after the array. `endOf` finds the
 * end of an element as skipValue does. Throws PageError where the array is cut off.
 */
export function walkElements(
  bytes: Buffer,
  array: number,
  take: (start: number, end: number) => void,
  endOf: (bytes: Buffer, start: number) => number,
): number {
  let i = skipSpace(bytes, array + 1);
  if (bytes[i] === closeBracket) return i + 1;
  for (;;) {
    const end = assertWithin(endOf(bytes, i));
    take(i, end);
    i = skipSpace(bytes, end);
    if (bytes[i] === closeBracket) return i + 1;
    if (bytes[i] !== comma) throw newTruncatedError();
    i = skipSpace(bytes, i + 1);
  }
}

/**
 * Returns the body around the record array at `array`, with the array empty; `array` is undefined if none was found.
 * Throws PageError if the body continues after its end, has further record arrays, or has none and does not show that
 * the range is empty (see checkEmpty, which takes the signs to ignore).
 */
export function readEnvelope(
  bytes: Buffer,
  array: number | undefined,
  end: number,
  recordsAt: string | null,
  ignored: readonly string[],
): unknown {
  if (array === undefined) {
    const body = parseExactly(bytes);
    if (recordsAt === null) checkEmpty(body, ignored);
    else checkNullAt(body, recordsAt, ignored);
    return body;
  }
  const around = [bytes.subarray(0, array), Buffer.from("[]"), bytes.subarray(end)];
  const envelope = parseExactly(Buffer.concat(around));
  const isSole = recordsAt === null ? !hasRecordArray(envelope) : isEmptyAt(envelope, recordsAt);
  if (isSole) return envelope;
  throw new PageError(
    "the body has several arrays of records; set sources.<name>.audits.records_at to one of them",
  );
}

// With a key twice in the body, what was walked and what was parsed are not the same array.
function isEmptyAt(envelope: unknown, path: string): boolean {
  const at = Array.isArray(envelope) ? envelope : readValueAt(envelope, path);
  return Array.isArray(at) && at.length === 0;
}

// Or the same null.
function checkNullAt(body: unknown, path: string, ignored: readonly string[]): void {
  if (readValueAt(body, path) !== null)
    throw new PageError(`the body has ${path} twice; expected one array of records there`);
  checkNoFault(body, ignored);
}

function assertWithin(end: number): number {
  if (end <= 0) throw newTruncatedError();
  return end;
}

function newTruncatedError(): CutOffError {
  return new CutOffError("the page is truncated or not JSON; expected a complete JSON body");
}
