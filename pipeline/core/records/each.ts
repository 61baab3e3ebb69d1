import { isObject } from "../../../schemas/object.ts";
import { mostLookedAt, showsRecord } from "./arrays.ts";
import { convertCsvToLines } from "./csv.ts";
import { checkNoFault } from "./empty.ts";
import { findRecords, listKeys, looksLikeRecords, readEnvelope, walkElements } from "./envelope.ts";
import { PageError } from "./error.ts";
import { type PageBody, type PageFormat, showsOneRecord } from "./format.ts";
import { closeBrace, openBrace, openBracket, skipSpace, skipValue } from "./structure.ts";
import { isBlank, markLength, parseExactly } from "./text.ts";

/** Number of records on a complete page, and the body around them. */
export type PageFacts = {
  readonly records: number;
  /** The part of the page that holds the records. */
  readonly recordBytes: Buffer;
  /** The body without the records, the array left empty, for example with paging keys. */
  readonly envelope: unknown;
};

/** Counts the records of a page; throws PageError on an incomplete page or on a fault that is not `ignored`. */
export function countRecords(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
  ignored: readonly string[] = [],
): PageFacts {
  if (format === "json") return readJson(bytes, recordsAt, () => undefined, ignored);
  if (format === "ndjson") checkLastLine(bytes);
  const lines = format === "csv" ? convertCsvToLines(bytes) : bytes;
  return { records: forEachLine(lines, () => undefined), recordBytes: bytes, envelope: null };
}

/**
 * Returns what a page holds whose body is one array or one envelope around records. Returns undefined for any other page
 * and for a damaged one, which detectFormat and countRecords read or refuse. Most pages are envelopes of one line:
 * detectFormat walks them to their end, and countRecords walks them again.
 */
export function readEnvelopePage(
  bytes: Buffer,
  recordsAt: string | null,
  ignored: readonly string[],
): PageFacts | undefined {
  try {
    if (findRecords(bytes, recordsAt) === undefined) return undefined;
    const facts = readJson(bytes, recordsAt, () => undefined, ignored);
    return isSingleRecord(facts.envelope) ? undefined : facts;
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

// A record may have arrays of objects of its own.
function isSingleRecord(envelope: unknown): boolean {
  if (!isObject(envelope)) return false;
  return showsOneRecord(
    new Set(Object.keys(envelope)),
    Object.values(envelope).some(Array.isArray),
  );
}

/**
 * Checks whether a complete page has anything that looks like a record. A bare array, or lines, can contain other data
 * without any sign of it.
 */
export function looksLikePage(bytes: Buffer, format: PageFormat): boolean {
  if (format === "csv") return true;
  const start = skipSpace(bytes, markLength(bytes));
  if (format === "json") return bytes[start] !== openBracket || looksLikeRecords(bytes, start);
  let looked = 0;
  let isShown = false;
  forEachLine(bytes, (from, to) => {
    if (isShown || looked++ >= mostLookedAt) return;
    isShown = showsRecord(listKeys(bytes.subarray(0, to), from));
  });
  return isShown;
}

export function hasId({ bytes, format }: PageBody, recordsAt: string | null): boolean {
  const source = format === "csv" ? convertCsvToLines(bytes) : bytes;
  let isFound = false;
  const lookAtRecord = (start: number, end: number): void => {
    isFound ||= [...listKeys(source.subarray(0, end), start)].includes("id");
  };
  if (format === "json") readJson(source, recordsAt, lookAtRecord);
  else forEachLine(source, lookAtRecord);
  return isFound;
}

/**
 * Visits the range of each record of a JSON body in order. Throws PageError if the body is truncated, continues after
 * its end, has no record array (`recordsAt`, see findRecords), or names a fault and has no record. `endOf` finds the
 * end of a record; default skipValue.
 */
export function readJson(
  bytes: Buffer,
  recordsAt: string | null,
  take: (start: number, end: number) => void,
  ignored: readonly string[] = [],
  endOf: (bytes: Buffer, start: number) => number = skipValue,
): PageFacts {
  const array = findRecords(bytes, recordsAt);
  let records = 0;
  const count = (start: number, end: number): void => {
    records += 1;
    take(start, end);
  };
  const end = array === undefined ? 0 : walkElements(bytes, array, count, endOf);
  const envelope = readEnvelope(bytes, array, end, recordsAt, ignored);
  if (records === 0) checkNoFault(envelope, ignored);
  return { records, recordBytes: bytes.subarray(array, end), envelope };
}

/** Returns the texts of the records of a whole page in lines or in a bare array. */
export function recordTexts({ bytes, format }: PageBody): string[] {
  const source = format === "csv" ? convertCsvToLines(bytes) : bytes;
  const texts: string[] = [];
  const take = (start: number, end: number): void =>
    void texts.push(source.toString("utf8", start, end));
  if (format === "json") readJson(source, null, take);
  else forEachLine(source, take);
  return texts;
}

/** Takes the range of each line that is not blank, and returns how many there were. */
export function forEachLine(bytes: Buffer, take: (start: number, end: number) => void): number {
  let lines = 0;
  for (let next = markLength(bytes); next < bytes.length;) {
    const lineFeed = bytes.indexOf(10, next);
    const lineEnd = lineFeed < 0 ? bytes.length : lineFeed;
    const start = skipSpace(bytes, next, lineEnd);
    next = lineEnd + 1;
    if (start === lineEnd) continue;
    lines += 1;
    take(start, bytes[lineEnd - 1] === 13 ? lineEnd - 1 : lineEnd);
  }
  return lines;
}

// A last line without a line end may be truncated. A record is complete if its braces close at the end of the line; no
// truncated record does that. Other faults go to quarantine, since a retry would not fix them. Anything but an object
// must be valid JSON to count as complete.
function checkLastLine(bytes: Buffer): void {
  const last = bytes.subarray(bytes.lastIndexOf(10) + 1);
  if (isBlank(last)) return;
  const start = skipSpace(last, markLength(last));
  if (last[start] !== openBrace) return void parseExactly(last);
  const end = skipValue(last, start);
  if (end <= 0 || last[end - 1] !== closeBrace || skipSpace(last, end) < last.length)
    throw new PageError("the last line of the page is truncated; expected a complete record");
}
