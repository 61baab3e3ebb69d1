// Walks the bytes of one record without building it: where it ends, which of its keys the catalog does not
// know, and whether its fingerprint needs care. A million records pass here, so the walk allocates nothing
// for an ordinary one.

const quote = 34;
const comma = 44;
const colon = 58;
const backslash = 92;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** What stops a plain run of bytes inside a string: quote, backslash, open brace, control characters. */
const stopsString = new Uint8Array(256);
stopsString.fill(1, 0, 32);
for (const byte of [quote, backslash, openBrace]) stopsString[byte] = 1;

export type Span = { readonly start: number; readonly end: number };

export type Problem = "invalid_json" | "duplicate_key" | "reserved_key";

/** Names that staging adds to a record; a service's own key may not begin so. */
export const reservedPrefix = "auditlake:";

/** Result of one walk, reused from record to record. */
export type Scan = {
  /** First byte after the record; -1 where it has a problem or the bytes end before it does. */
  end: number;
  problem: Problem | null;
  /** Members (key and value) that the catalog does not know. */
  unknown: Span[];
  /** Objects inside, or escaped control characters: the fingerprint is taken from the parsed record. */
  isComplex: boolean;
  /** Line breaks between the tokens, as pretty-printed records have them. */
  hasLineBreak: boolean;
};

export type Scanner = (bytes: Buffer, start: number, scan: Scan) => void;

/** An empty result to walk with. */
export function newScan(): Scan {
  return { end: -1, problem: null, unknown: [], isComplex: false, hasLineBreak: false };
}

/** A walk that knows the given keys; `start` must be at the record's opening brace. */
export function newScanner(knownKeys: readonly string[]): Scanner {
  const slots = new Map(knownKeys.map((key, i) => [key, i]));
  const keys = knownKeys.map((key) => Buffer.from(key));
  const following = new Uint32Array(knownKeys.length + 1);
  const seenIn = new Uint32Array(knownKeys.length);
  let record = 0;

  // Keys come in much the same order from record to record: the one that followed last time is tried first.
  const slotOf = (bytes: Buffer, start: number, end: number, previous: number): number => {
    const guess = following[previous + 1]!;
    if (equals(bytes, start, end, keys[guess]!)) return guess;
    const slot = slots.get(unescape(bytes, start, end)) ?? -1;
    if (slot >= 0) following[previous + 1] = slot;
    return slot;
  };

  return (bytes, start, scan) => {
    record += 1;
    reset(scan);
    let unknownNames: Set<string> | undefined;
    let i = skipSpace(bytes, start + 1, scan);
    if (bytes[i] === closeBrace) return void (scan.end = i + 1);
    let previous = -1;
    for (;;) {
      if (i >= bytes.length) return;
      if (bytes[i] !== quote) return fail(scan);
      const keyStart = i;
      const keyEnd = skipString(bytes, i, scan);
      if (keyEnd < 0) return fail(scan);
      if (keyEnd === 0) return;
      i = skipSpace(bytes, keyEnd, scan);
      if (i >= bytes.length) return;
      if (bytes[i] !== colon) return fail(scan);
      i = skipSpace(bytes, i + 1, scan);
      const valueEnd = skipValue(bytes, i, scan);
      if (valueEnd < 0) return fail(scan);
      if (valueEnd === 0) return;
      const slot = slotOf(bytes, keyStart + 1, keyEnd - 1, previous);
      previous = slot;
      if (slot < 0) {
        const name = unescape(bytes, keyStart + 1, keyEnd - 1);
        unknownNames ??= new Set();
        if (unknownNames.has(name)) scan.problem = "duplicate_key";
        if (name.startsWith(reservedPrefix)) scan.problem = "reserved_key";
        unknownNames.add(name);
        scan.unknown.push({ start: keyStart, end: valueEnd });
      } else if (seenIn[slot] === record) scan.problem = "duplicate_key";
      else seenIn[slot] = record;
      i = skipSpace(bytes, valueEnd, scan);
      if (bytes[i] === closeBrace) return void (scan.end = i + 1);
      if (i >= bytes.length) return;
      if (bytes[i] !== comma) return fail(scan);
      i = skipSpace(bytes, i + 1, scan);
    }
  };
}

/** The first byte after the JSON value at `start`; 0 when the bytes end first, -1 when it is none. */
export function skipValue(bytes: Buffer, start: number, scan: Scan): number {
  const first = bytes[start];
  if (first === undefined) return 0;
  if (first === quote) return skipString(bytes, start, scan);
  if (first === openBrace || first === openBracket) return skipNested(bytes, start, scan);
  let i = start;
  while (i < bytes.length && !endsScalar(bytes[i]!)) i++;
  return i === start ? -1 : i === bytes.length ? 0 : i;
}

/** The first byte at or after `start` that is no white space; notes line breaks. */
export function skipSpace(bytes: Buffer, start: number, scan: Scan): number {
  let i = start;
  for (;;) {
    const byte = bytes[i];
    if (byte === 10 || byte === 13) scan.hasLineBreak = true;
    else if (byte !== 32 && byte !== 9) return i;
    i++;
  }
}

function skipString(bytes: Buffer, start: number, scan: Scan): number {
  let i = start + 1;
  for (;;) {
    while (i < bytes.length && stopsString[bytes[i]!] === 0) i++;
    if (i >= bytes.length) return 0;
    const byte = bytes[i]!;
    if (byte === quote) return i + 1;
    if (byte === backslash) {
      if (bytes[i + 1] === 117 && bytes[i + 2] === 48 && bytes[i + 3] === 48) scan.isComplex = true;
      i += 2;
    } else if (byte === openBrace) {
      // An object with one member has no order of keys; only a comma after the brace makes care needed.
      scan.isComplex ||= hasCommaBeforeQuote(bytes, i + 1);
      i += 1;
    } else return -1;
  }
}

function hasCommaBeforeQuote(bytes: Buffer, start: number): boolean {
  for (let i = start; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return false;
    else if (bytes[i] === comma) return true;
  }
  return false;
}

function skipNested(bytes: Buffer, start: number, scan: Scan): number {
  let depth = 0;
  for (let i = start; i < bytes.length;) {
    const byte = bytes[i]!;
    if (byte === quote) {
      i = skipString(bytes, i, scan);
      if (i <= 0) return i;
      continue;
    }
    if (byte === openBrace) scan.isComplex = true;
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    else if (byte === 10 || byte === 13) scan.hasLineBreak = true;
    i++;
    if (depth === 0) return i;
  }
  return 0;
}

function endsScalar(byte: number): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || byte <= 32;
}

function fail(scan: Scan): void {
  scan.problem = "invalid_json";
}

function reset(scan: Scan): void {
  scan.end = -1;
  scan.problem = null;
  if (scan.unknown.length > 0) scan.unknown = [];
  scan.isComplex = false;
  scan.hasLineBreak = false;
}

function unescape(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

function equals(bytes: Buffer, start: number, end: number, key: Buffer): boolean {
  if (end - start !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key[i]) return false;
  return true;
}
