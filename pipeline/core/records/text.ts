import { isUtf8 } from "node:buffer";
import { CutOffError, LastingPageError, PageError } from "./error.ts";

/** How many bytes at the beginning are a byte order mark. */
export function markLength(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** True where the bytes hold nothing but white space. */
export function isBlank(bytes: Buffer): boolean {
  for (let i = markLength(bytes); i < bytes.length; i++) if (!isSpace(bytes[i]!)) return false;
  return true;
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

/** Throws LastingPageError if the bytes are UTF-16, by their mark or by the zero byte beside a letter. */
export function refuseUtf16([first, second]: Buffer): void {
  if (first === undefined || second === undefined) return;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || (first === 0) !== (second === 0))
    throw new LastingPageError("the page is UTF-16; expected UTF-8");
}

/** A JSON body that must be whole and UTF-8; whole numbers too big to be exact come as their digits. */
export function parseExactly(bytes: Buffer): unknown {
  refuseUtf16(bytes);
  const text = bytes.subarray(markLength(bytes));
  if (!isUtf8(text)) throw new PageError("the page is not UTF-8; expected JSON in UTF-8");
  try {
    return JSON.parse(text.toString("utf8"), reviveNumber);
  } catch {
    throw new CutOffError("the page is truncated or not JSON; expected a complete JSON body");
  }
}

function reviveNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded ? (context?.source ?? value) : value;
}

/** Decodes bytes for people: invalid UTF-8 is written as `\xNN`, never replaced. */
export function decodeReadable(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < bytes.length;) {
    const length = measureCharacter(bytes, i);
    if (length === 0) {
      parts.push(bytes.toString("utf8", start, i), `\\x${bytes.toString("hex", i, i + 1)}`);
      start = i + 1;
    }
    i += length === 0 ? 1 : length;
  }
  return parts.join("") + bytes.toString("utf8", start);
}

// Returns the number of bytes of the character at `i`; 0 if invalid.
function measureCharacter(bytes: Buffer, i: number): number {
  const first = bytes[i]!;
  if (first < 0x80) return 1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return i + length <= bytes.length && isUtf8(bytes.subarray(i, i + length)) ? length : 0;
}
