import { csvToLines } from "./csv.ts";
import { PageError } from "./error.ts";
import { newScan, skipSpace, skipValue } from "./scan.ts";

/** How a page holds its records; found out from its first bytes. */
export type PageFormat = "json" | "ndjson" | "csv";

export type JsonPage = {
  /** Byte ranges of the array's elements, in order. */
  readonly elements: readonly { readonly start: number; readonly end: number }[];
  /** The body around the array, with the array left empty: paging keys stand here. */
  readonly envelope: unknown;
};

/** The format of a page by its first bytes; HTML and empty text are refused. */
export function detectFormat(bytes: Buffer): PageFormat {
  const scan = newScan();
  const start = skipSpace(bytes, bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0, scan);
  const first = bytes[start];
  if (first === undefined)
    throw new PageError("the page is empty; expected JSON, newline-delimited JSON or CSV");
  if (first === 60)
    throw new PageError(
      "the page is HTML or XML; expected JSON, newline-delimited JSON or CSV; check the address and the proxy",
    );
  if (first === 91) return "json";
  if (first === 123) return holdsRecordPerLine(bytes, start) ? "ndjson" : "json";
  return "csv";
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

// A first line that is a whole JSON object by itself is a record, unless it is an envelope around an array.
function holdsRecordPerLine(bytes: Buffer, start: number): boolean {
  const lineEnd = bytes.indexOf(10, start);
  const line = bytes.subarray(start, lineEnd < 0 ? bytes.length : lineEnd).toString("utf8");
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return false;
    return "event_name" in value || "time" in value || nextLineIsObject(bytes, lineEnd);
  } catch {
    return false;
  }
}

function nextLineIsObject(bytes: Buffer, lineEnd: number): boolean {
  return lineEnd >= 0 && bytes[skipSpace(bytes, lineEnd, newScan())] === 123;
}

/**
 * Takes a JSON body apart: the ranges of its records and the envelope around them. `recordsAt` is the dotted
 * path of the record array; null means the one array of objects in the body, or a bare array. Throws
 * PageError when the body is cut off, has something after its end, or has no such array.
 */
export function openJsonPage(bytes: Buffer, recordsAt: string | null): JsonPage {
  const start = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  const array = findArray(bytes, start, recordsAt);
  if (array === undefined) return { elements: [], envelope: parseEnvelope(bytes, recordsAt) };
  const { elements, end } = readElements(bytes, array);
  const head = bytes.toString("utf8", start, array);
  const tail = bytes.toString("utf8", end);
  return { elements, envelope: parseText(`${head}[]${tail}`) };
}

// The array's opening bracket, found by walking the members above it.
function findArray(bytes: Buffer, start: number, recordsAt: string | null): number | undefined {
  const scan = newScan();
  const at = skipSpace(bytes, start, scan);
  if (bytes[at] === 91) return at;
  const found =
    recordsAt === null ? arraysOfObjects(bytes, at, 0) : arrayAt(bytes, at, recordsAt.split("."));
  if (found.length > 1)
    throw new PageError(
      "the body has several arrays of objects; say which one in sources.<name>.audits.records_at",
    );
  return found[0];
}

const maxEnvelopeDepth = 4;

function arraysOfObjects(bytes: Buffer, object: number, depth: number): number[] {
  return members(bytes, object).flatMap(({ value }) => {
    if (bytes[value] === 123 && depth < maxEnvelopeDepth)
      return arraysOfObjects(bytes, value, depth + 1);
    const inside = bytes[value] === 91 ? bytes[skipSpace(bytes, value + 1, newScan())] : undefined;
    return inside === 123 ? [value] : [];
  });
}

function arrayAt(bytes: Buffer, object: number, path: readonly string[]): number[] {
  const member = members(bytes, object).find(({ key }) => key === path[0]);
  if (member === undefined)
    throw new PageError(`the body has no ${path.join(".")}; see sources.<name>.audits.records_at`);
  if (path.length > 1) return arrayAt(bytes, member.value, path.slice(1));
  if (bytes[member.value] !== 91)
    throw new PageError(`${path[0]} of the body is no array; see sources.<name>.audits.records_at`);
  return [member.value];
}

function members(bytes: Buffer, object: number): { key: string; value: number }[] {
  if (bytes[object] !== 123) return [];
  const scan = newScan();
  const found: { key: string; value: number }[] = [];
  let i = skipSpace(bytes, object + 1, scan);
  while (bytes[i] === 34) {
    const keyEnd = whole(skipValue(bytes, i, scan));
    const value = skipSpace(bytes, skipSpace(bytes, keyEnd, scan) + 1, scan);
    found.push({ key: String(parseText(bytes.toString("utf8", i, keyEnd))), value });
    i = skipSpace(bytes, whole(skipValue(bytes, value, scan)), scan);
    if (bytes[i] === 44) i = skipSpace(bytes, i + 1, scan);
  }
  if (bytes[i] !== 125) throw cutOff();
  return found;
}

function readElements(
  bytes: Buffer,
  array: number,
): { elements: { start: number; end: number }[]; end: number } {
  const scan = newScan();
  const elements: { start: number; end: number }[] = [];
  let i = skipSpace(bytes, array + 1, scan);
  if (bytes[i] === 93) return { elements, end: i + 1 };
  for (;;) {
    const end = whole(skipValue(bytes, i, scan));
    elements.push({ start: i, end });
    i = skipSpace(bytes, end, scan);
    if (bytes[i] === 93) return { elements, end: i + 1 };
    if (bytes[i] !== 44) throw cutOff();
    i = skipSpace(bytes, i + 1, scan);
  }
}

function whole(end: number): number {
  if (end <= 0) throw cutOff();
  return end;
}

function cutOff(): PageError {
  return new PageError("the page is cut off or is no JSON; expected a whole JSON body");
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw cutOff();
  }
}

// No array of objects: a body whose one array is empty is a page without records.
function parseEnvelope(bytes: Buffer, recordsAt: string | null): unknown {
  const envelope = parseText(bytes.toString("utf8"));
  const holdsArray =
    typeof envelope === "object" &&
    envelope !== null &&
    Object.values(envelope).some(Array.isArray);
  if (recordsAt === null && !holdsArray)
    throw new PageError(
      "the body has no array of records; expected one, or newline-delimited JSON",
    );
  return envelope;
}

/** How many records a whole page holds, and the envelope around them; throws PageError on one cut off. */
export function countRecords(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
): { records: number; envelope: unknown } {
  if (format === "json") {
    const { elements, envelope } = openJsonPage(bytes, recordsAt);
    return { records: elements.length, envelope };
  }
  const lines = format === "csv" ? csvToLines(bytes) : wholeLines(bytes);
  return { records: lineCount(lines), envelope: null };
}

// A last line without its end that is no JSON is the mark of a page cut off.
function wholeLines(bytes: Buffer): Buffer {
  if (bytes.at(-1) !== 10) parseText(bytes.toString("utf8", bytes.lastIndexOf(10) + 1) || "null");
  return bytes;
}

function lineCount(bytes: Buffer): number {
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    const lineEnd = bytes.indexOf(10, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd;
    if (skipSpace(bytes, start, newScan()) < end) count++;
    start = end + 1;
  }
  return count;
}
