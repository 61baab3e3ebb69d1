import { backslash, comma, openBrace, openBracket, quote } from "./structure.ts";
import { Buffer } from "node:buffer";

// Reads single tokens of a record at least as strictly as the database's reader. Each function returns the first byte
// after the token, or -1 if there is none before `limit`.

/** What a token shows of its record. */
export type Marks = { isComplex: boolean };

/** What stops a plain run of bytes inside a string: quote, backslash, control characters. */
const stopsString = new Uint8Array(256);
stopsString.fill(1, 0, 32);
for (const byte of [quote, backslash]) stopsString[byte] = 1;

/** A string; control characters must be escaped and surrogates come in pairs. */
export function readString(bytes: Buffer, start: number, limit: number, marks: Marks): number {
  let i = start + 1;
  while (i < limit) {
    const byte = bytes[i]!;
    if (stopsString[byte] === 0) i++;
    else if (byte === quote) return i + 1;
    else if (byte === backslash) {
      const end = readEscape(bytes, i, limit, marks);
      if (end < 0) return -1;
      i = end;
    } else return -1;
  }
  return -1;
}

/** A string that is a value: JSON in it counts as the object or array that it is. */
export function readText(bytes: Buffer, start: number, limit: number, marks: Marks): number {
  const end = readString(bytes, start, limit, marks);
  const first = bytes[start + 1];
  if (end > 0 && (first === openBrace || first === openBracket))
    marks.isComplex ||= hasOtherForms(bytes, start + 1, end - 1);
  return end;
}

// True where canonical JSON could differ from the text: several members, white space, escapes, numbers that have
// more than one form.
function hasOtherForms(bytes: Buffer, start: number, end: number): boolean {
  const isObject = bytes[start] === openBrace;
  for (let i = start + 1; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === backslash) {
      if (bytes[++i] !== quote) return true;
    } else if (byte <= 32 || byte === (isObject ? comma : openBrace)) return true;
    else if (byte === 46 || (byte === 45 && bytes[i + 1] === 48)) return true;
    else if ((byte | 32) === 101 && isDigit(bytes[i - 1]!)) return true;
  }
  return false;
}

function readEscape(bytes: Buffer, start: number, limit: number, marks: Marks): number {
  if (bytes[start + 1] !== 117)
    return '"\\/bfnrt'.includes(String.fromCharCode(bytes[start + 1]!)) ? start + 2 : -1;
  const unit = readUnit(bytes, start, limit);
  if (unit < 0) return -1;
  if (unit < 0x100) marks.isComplex = true;
  if (unit < 0xd800 || unit > 0xdfff) return start + 6;
  const low = unit < 0xdc00 ? readUnit(bytes, start + 6, limit) : -1;
  return low >= 0xdc00 && low <= 0xdfff ? start + 12 : -1;
}

// The value of a \uXXXX escape.
function readUnit(bytes: Buffer, start: number, limit: number): number {
  if (start + 6 > limit || bytes[start] !== backslash || bytes[start + 1] !== 117) return -1;
  const digits = bytes.toString("latin1", start + 2, start + 6);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
}

const literals = ["true", "false", "null"].map((word) => Buffer.from(word));

/** A number, true, false or null. */
export function readScalar(bytes: Buffer, start: number, limit: number): number {
  const first = bytes[start]!;
  if (first === 45 || isDigit(first)) return readNumber(bytes, start, limit);
  for (const word of literals) {
    if (word[0] !== first) continue;
    return isWord(bytes, start, word) ? start + word.length : -1;
  }
  return -1;
}

// Compares byte by byte, which is faster than a native comparison for a few bytes. Past the limit, a byte is undefined
// and differs.
function isWord(bytes: Buffer, start: number, word: Buffer): boolean {
  for (let i = 1; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
  return true;
}

function readNumber(bytes: Buffer, start: number, limit: number): number {
  let i = bytes[start] === 45 ? start + 1 : start;
  const digits = i;
  i = skipDigits(bytes, i, limit);
  if (i === digits || (bytes[digits] === 48 && i > digits + 1)) return -1;
  if (i < limit && bytes[i] === 46) {
    const fraction = i + 1;
    i = skipDigits(bytes, fraction, limit);
    if (i === fraction) return -1;
  }
  if (i < limit && (bytes[i]! | 32) === 101) {
    const sign = bytes[i + 1];
    const exponent = sign === 43 || sign === 45 ? i + 2 : i + 1;
    i = skipDigits(bytes, exponent, limit);
    if (i === exponent) return -1;
  }
  return i;
}

function skipDigits(bytes: Buffer, start: number, limit: number): number {
  let i = start;
  while (i < limit && isDigit(bytes[i]!)) i++;
  return i;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

/** The catalog's keys for look-up by bytes, and the keys seen by a walk. */
export type KnownKeys = {
  readonly names: readonly Buffer[];
  readonly slots: ReadonlyMap<string, number>;
  /** Slots by a cheap sum over length, first and last byte. */
  readonly buckets: readonly (readonly number[])[];
  /** By slot + 1, the slot that came after it last time. */
  readonly following: Uint32Array;
  /** By slot, the number of the record that had the key last. */
  readonly seenIn: Float64Array;
};

const bucketCount = 256;

export function newKnownKeys(keys: readonly string[]): KnownKeys {
  const names = keys.map((key) => Buffer.from(key));
  const buckets: number[][] = Array.from({ length: bucketCount }, () => []);
  for (const [slot, name] of names.entries())
    buckets[hashToBucket(name, 0, name.length)]!.push(slot);
  return {
    names,
    slots: new Map(keys.map((key, slot) => [key, slot])),
    buckets,
    following: new Uint32Array(keys.length + 1),
    seenIn: new Float64Array(keys.length),
  };
}

/**
 * Finds the slot of the key at a position if it is the key that followed `previous` last time; else -1. With a slot,
 * the end of the key is known.
 */
export function isExpectedAt(
  known: KnownKeys,
  bytes: Buffer,
  start: number,
  limit: number,
  previous: number,
): number {
  const guess = known.following[previous + 1]!;
  const name = known.names[guess];
  if (name === undefined) return -1;
  const end = start + name.length;
  return end < limit && bytes[end] === quote && isAt(bytes, start, end, name) ? guess : -1;
}

/**
 * Returns the slot of the key between two positions, or -1. Keys mostly come in the same order in each record, so
 * `following` predicts the next one.
 */
export function getSlot(
  known: KnownKeys,
  bytes: Buffer,
  start: number,
  end: number,
  previous: number,
): number {
  const slot = findSlot(known, bytes, start, end);
  if (slot >= 0) known.following[previous + 1] = slot;
  return slot;
}

function findSlot(known: KnownKeys, bytes: Buffer, start: number, end: number): number {
  for (const slot of known.buckets[hashToBucket(bytes, start, end)]!)
    if (isAt(bytes, start, end, known.names[slot]!)) return slot;
  const name = readKeyText(bytes, start, end);
  return name === undefined ? -1 : (known.slots.get(name) ?? -1);
}

/** Decodes a key that is written with escapes; undefined if it has none. */
function readKeyText(bytes: Buffer, start: number, end: number): string | undefined {
  for (let i = start; i < end; i++) if (bytes[i] === 92) return readName(bytes, start, end);
  return undefined;
}

export function readName(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}

function hashToBucket(bytes: Buffer, start: number, end: number): number {
  if (end <= start) return 0;
  return ((end - start) * 31 + bytes[start]! * 7 + bytes[end - 1]! * 13) % bucketCount;
}

function isAt(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
