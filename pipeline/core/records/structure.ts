// Finds where JSON values end, by brackets and quotes alone: the text between them may be damaged and is judged record
// by record. Positions are byte offsets; `end` bounds the walk.

export const quote = 34;
export const comma = 44;
export const colon = 58;
export const backslash = 92;
export const openBracket = 91;
export const closeBracket = 93;
export const openBrace = 123;
export const closeBrace = 125;

/** The first byte from `start` on that is no white space, or `end`. */
export function skipSpace(bytes: Buffer, start: number, end = bytes.length): number {
  let i = start;
  while (i < end) {
    const byte = bytes[i]!;
    if (byte > 32 || (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9)) return i;
    i++;
  }
  return end;
}

/** Returns the first byte after the JSON value at `start`; 0 if the bytes end first, -1 if there is no value. */
export function skipValue(bytes: Buffer, start: number, end = bytes.length): number {
  if (start >= end) return 0;
  const first = bytes[start]!;
  if (first === quote) return skipString(bytes, start, end);
  if (first === openBrace || first === openBracket) return skipNested(bytes, start, end);
  let i = start;
  while (i < end && !endsScalar(bytes[i]!)) i++;
  return i === start ? -1 : i === end ? 0 : i;
}

function endsScalar(byte: number): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || byte <= 32;
}

function skipString(bytes: Buffer, start: number, end: number): number {
  let i = start + 1;
  while (i < end) {
    const byte = bytes[i]!;
    if (byte === quote) return i + 1;
    i += byte === backslash ? 2 : 1;
  }
  return 0;
}

function skipNested(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let i = start; i < end;) {
    const byte = bytes[i]!;
    if (byte === quote) {
      i = skipString(bytes, i, end);
      if (i === 0) return 0;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    i++;
    if (depth === 0) return i;
  }
  return 0;
}
