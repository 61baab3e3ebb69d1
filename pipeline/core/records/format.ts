import { listMembers } from "./envelope.ts";
import { PageError } from "./error.ts";
import { backslash, openBrace, openBracket, quote, skipSpace } from "./structure.ts";
import { markLength, refuseUtf16 } from "./text.ts";

/** How a page holds its records; found out from its first bytes. */
export type PageFormat = "json" | "ndjson" | "csv";

/** Whole records in one of the formats. */
export type PageBody = { readonly bytes: Buffer; readonly format: PageFormat };

/** The format of a page by its first bytes; HTML and empty text are refused with PageError. */
export function detectFormat(bytes: Buffer): PageFormat {
  refuseUtf16(bytes);
  const start = skipSpace(bytes, markLength(bytes));
  const first = bytes[start];
  if (first === undefined)
    throw new PageError("the page is empty; expected JSON, newline-delimited JSON or CSV");
  if (first === 60)
    throw new PageError(
      "the page is HTML or XML; expected JSON, newline-delimited JSON or CSV; check the address and the proxy",
    );
  if (first === openBracket) return "json";
  if (first !== openBrace) return "csv";
  return holdsRecordPerLine(bytes, start) ? "ndjson" : "json";
}

// A body of several objects, line by line, holds records; so does a single object that looks like one.
function holdsRecordPerLine(bytes: Buffer, start: number): boolean {
  const lineFeed = bytes.indexOf(10, start);
  const lineEnd = lineFeed < 0 ? bytes.length : lineFeed;
  const line = bytes.subarray(0, lineEnd);
  const { keys, hasArray, end } = readObject(line, start);
  const isRecord = showsOneRecord(keys, hasArray);
  const hasMore = skipSpace(bytes, lineEnd) < bytes.length;
  // No JSON body has a line break inside a string: this is a damaged record, and others follow it.
  if (end === 0) return isRecord && hasMore && endsInString(line, start);
  return isRecord || (hasMore && !hasArray && skipSpace(line, end) === lineEnd);
}

/** True for the keys of a single record; false for those of a body around an array of records. */
export function showsOneRecord(keys: ReadonlySet<string>, hasArray: boolean): boolean {
  const marks = ["time", "event_name"].filter((key) => keys.has(key)).length;
  return marks === 2 || (marks === 1 && !hasArray);
}

type ObjectFacts = {
  readonly keys: ReadonlySet<string>;
  readonly hasArray: boolean;
  /** Whether one of the arrays begins with an object. */
  readonly hasObjects: boolean;
  /** The first byte after the object; 0 where the line ends before it does. */
  readonly end: number;
};

function readObject(line: Buffer, start: number): ObjectFacts {
  const keys = new Set<string>();
  let hasArray = false;
  let hasObjects = false;
  const members = listMembers(line, start);
  try {
    for (;;) {
      const { done, value } = members.next();
      if (done === true) return { keys, hasArray, hasObjects, end: value };
      keys.add(value.key);
      if (line[value.value] !== openBracket) continue;
      hasArray = true;
      hasObjects ||= line[skipSpace(line, value.value + 1)] === openBrace;
    }
  } catch {
    return { keys, hasArray, hasObjects, end: 0 };
  }
}

function endsInString(line: Buffer, start: number): boolean {
  let isInside = false;
  for (let i = start; i < line.length; i++) {
    if (line[i] === quote) isInside = !isInside;
    else if (isInside && line[i] === backslash) i++;
  }
  return isInside;
}

/** True where the first bytes of a body, cut anywhere, show an envelope around an array of objects. */
export function startsEnvelope(bytes: Buffer): boolean {
  const { keys, hasObjects } = readObject(bytes, skipSpace(bytes, markLength(bytes)));
  return hasObjects && !keys.has("time");
}
