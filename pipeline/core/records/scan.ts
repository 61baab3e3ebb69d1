import {
  isExpectedAt,
  type KnownKeys,
  readName,
  newKnownKeys,
  readScalar,
  readString,
  readText,
  getSlot,
} from "./token.ts";
import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from "./structure.ts";

// Walks the bytes of one record without building it. It finds where the record ends, which of its keys the catalog does
// not know, and whether its fingerprint needs care. Many records pass here, so the walk allocates nothing for an
// ordinary one.

export type Span = { readonly start: number; readonly end: number };

export type Problem = "invalid_json" | "duplicate_key" | "reserved_key" | "too_deep";

/** Names that staging adds to a record; a service's own key may not begin so. */
export const reservedPrefix = "auditlake:";

/** Result of one walk, reused from record to record. */
export type Scan = {
  start: number;
  /** First byte after the record; -1 where it cannot be walked to its end. */
  end: number;
  problem: Problem | null;
  /** Members (key and value) that the catalog does not know. */
  unknown: Span[];
  /** Objects or arrays inside, as text too, or escaped control characters: the fingerprint needs the parsed record. */
  isComplex: boolean;
  /** Line breaks between the tokens, as pretty-printed records have them. */
  hasLineBreak: boolean;
  /** Whether one of its keys is `id`. */
  hasId: boolean;
};

/** Walks the record whose opening brace is at `start` and which ends before `limit`. */
export type Scanner = (bytes: Buffer, start: number, limit: number, scan: Scan) => void;

const maxDepth = 200;

/** An empty result to walk with. */
export function newScan(): Scan {
  return {
    start: -1,
    end: -1,
    problem: null,
    unknown: [],
    isComplex: false,
    hasLineBreak: false,
    hasId: false,
  };
}

/** A walk that knows the given keys. */
export function newScanner(knownKeys: readonly string[]): Scanner {
  const known = newKnownKeys(knownKeys);
  const idSlot = known.slots.get("id") ?? -1;
  const walk: Walk = { known, unknownNames: new Set(), record: 0 };
  return (bytes, start, limit, scan) => {
    walk.record += 1;
    if (walk.unknownNames.size > 0) walk.unknownNames.clear();
    resetScan(scan, start);
    const end = walkMembers(bytes, start, limit, scan, walk);
    if (end > 0) scan.end = end;
    else scan.problem ??= "invalid_json";
    scan.hasId = idSlot >= 0 && known.seenIn[idSlot] === walk.record;
  };
}

type Walk = {
  readonly known: KnownKeys;
  readonly unknownNames: Set<string>;
  /** Number of the record. */
  record: number;
};

function walkMembers(bytes: Buffer, start: number, limit: number, scan: Scan, walk: Walk): number {
  let previous = -1;
  let i = skipBlank(bytes, start + 1, limit, scan);
  if (i < limit && bytes[i] === closeBrace) return i + 1;
  while (i < limit && bytes[i] === quote) {
    const keyStart = i;
    const expected = isExpectedAt(walk.known, bytes, i + 1, limit, previous);
    const keyEnd =
      expected < 0
        ? readString(bytes, i, limit, scan)
        : keyStart + walk.known.names[expected]!.length + 2;
    if (keyEnd < 0) return -1;
    i = skipBlank(bytes, keyEnd, limit, scan);
    if (i >= limit || bytes[i] !== colon) return -1;
    i = skipBlank(bytes, i + 1, limit, scan);
    const valueEnd = walkValue(bytes, i, limit, scan);
    if (valueEnd < 0) return -1;
    previous =
      expected < 0 ? getSlot(walk.known, bytes, keyStart + 1, keyEnd - 1, previous) : expected;
    if (previous < 0) noteUnknown(bytes, { start: keyStart, end: valueEnd }, keyEnd, scan, walk);
    else if (walk.known.seenIn[previous] === walk.record) scan.problem = "duplicate_key";
    else walk.known.seenIn[previous] = walk.record;
    i = skipBlank(bytes, valueEnd, limit, scan);
    if (i >= limit) return -1;
    if (bytes[i] === closeBrace) return i + 1;
    if (bytes[i] !== comma) return -1;
    i = skipBlank(bytes, i + 1, limit, scan);
  }
  return -1;
}

function noteUnknown(
  bytes: Buffer,
  member: Span,
  keyEnd: number,
  scan: Scan,
  { unknownNames }: Walk,
): void {
  const name = readName(bytes, member.start + 1, keyEnd - 1);
  if (unknownNames.has(name)) scan.problem = "duplicate_key";
  if (name.startsWith(reservedPrefix)) scan.problem = "reserved_key";
  unknownNames.add(name);
  scan.unknown.push(member);
}

function walkValue(bytes: Buffer, start: number, limit: number, scan: Scan): number {
  if (start >= limit) return -1;
  const first = bytes[start]!;
  if (first === quote) return readText(bytes, start, limit, scan);
  if (first === openBrace || first === openBracket) return walkNested(bytes, start, limit, scan);
  return readScalar(bytes, start, limit);
}

// The inside is not checked here. A nested value is parsed anyway when its fingerprint is taken, and checked there.
function walkNested(bytes: Buffer, start: number, limit: number, scan: Scan): number {
  scan.isComplex = true;
  let depth = 0;
  for (let i = start; i < limit;) {
    const byte = bytes[i]!;
    if (byte === quote) {
      i = readString(bytes, i, limit, scan);
      if (i < 0) return -1;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    else if (byte === 10 || byte === 13) scan.hasLineBreak = true;
    if (depth > maxDepth) scan.problem = "too_deep";
    i++;
    if (depth === 0) return i;
  }
  return -1;
}

// White space between tokens; notes line breaks.
function skipBlank(bytes: Buffer, start: number, limit: number, scan: Scan): number {
  let i = start;
  while (i < limit) {
    const byte = bytes[i]!;
    if (byte > 32) return i;
    if (byte === 10 || byte === 13) scan.hasLineBreak = true;
    else if (byte !== 32 && byte !== 9) return i;
    i++;
  }
  return limit;
}

function resetScan(scan: Scan, start: number): void {
  scan.start = start;
  scan.end = -1;
  scan.problem = null;
  if (scan.unknown.length > 0) scan.unknown = [];
  scan.isComplex = false;
  scan.hasLineBreak = false;
  scan.hasId = false;
}
