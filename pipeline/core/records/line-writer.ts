import { closeSync, openSync, writeSync } from "node:fs";
import { writeFault } from "../../base/home/durable.ts";
import { reservedPrefix } from "./scan.ts";
import { closeBrace } from "./structure.ts";

/** A file of lines being written; `using` writes the rest and closes it, and closing twice does nothing. */
export type LineWriter = Disposable & {
  /** Writes the bytes between two positions, the text `tail`, which ends in a line break, and counts it as a line. */
  readonly line: (bytes: Buffer, start: number, end: number, tail: string) => void;
  /** The same where the tail is the number of the record as its last member. */
  readonly numbered: (bytes: Buffer, start: number, end: number, number: number) => void;
  /** Bytes of the longest line so far. */
  readonly longest: () => number;
};

/** The member with the page and the place of a record: the number of the page times pageStep, plus the place there. */
export const numberMember = `${reservedPrefix}number`;
const lineFeed = 10;

const bufferBytes = 256 * 1024;
const directBytes = 64 * 1024;
// Each new buffer brings the next collection of garbage nearer, and a load writes many files.
const idle: Buffer[] = [];

/** Creates a file, mode 0600, for lines. */
export function createLineWriter(path: string): LineWriter {
  const fd = openSync(path, "wx", 0o600);
  const out = idle.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  let length = 0;
  let longest = 0;

  const flushLines = (): void => {
    writeAll(path, fd, out, 0, length);
    length = 0;
  };
  const put = (bytes: Buffer, start: number, end: number): void => {
    if (length + end - start > bufferBytes) flushLines();
    if (end - start > directBytes) {
      flushLines();
      writeAll(path, fd, bytes, start, end);
    } else length += bytes.copy(out, length, start, end);
  };
  // Returns how many bytes it takes. A character of a string takes three at most.
  const write = (text: string): number => {
    const mostBytes = text.length * 3;
    if (mostBytes > directBytes) {
      const bytes = Buffer.from(text);
      put(bytes, 0, bytes.length);
      return bytes.length;
    }
    if (length + mostBytes > bufferBytes) flushLines();
    const written = out.write(text, length);
    length += written;
    return written;
  };
  const writeLine = (bytes: Buffer, start: number, end: number, tail: string): void => {
    put(bytes, start, end);
    longest = Math.max(longest, end - start + write(tail));
  };
  const writeNumberedLine = (bytes: Buffer, start: number, end: number, number: number): void => {
    put(bytes, start, end);
    if (length + mostTailBytes > bufferBytes) flushLines();
    const before = length;
    length = writeTail(out, length, number);
    longest = Math.max(longest, end - start + length - before);
  };
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    try {
      flushLines();
    } finally {
      closeSync(fd);
      idle.push(out);
    }
  };
  return {
    line: writeLine,
    numbered: writeNumberedLine,
    longest: () => longest,
    [Symbol.dispose]: close,
  };
}

const member = Buffer.from(`,"${numberMember}":`);
const mostTailBytes = member.length + 20;

// Byte by byte: to make a text of it and write that takes twice as long as to copy an ordinary record.
function writeTail(out: Buffer, start: number, number: number): number {
  for (let i = 0; i < member.length; i++) out[start + i] = member[i]!;
  let end = start + member.length + 1;
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end++;
  let at = end;
  for (let rest = number; at > start + member.length; rest = Math.floor(rest / 10))
    out[--at] = 48 + (rest % 10);
  out[end] = closeBrace;
  out[end + 1] = lineFeed;
  return end + 2;
}

function writeAll(path: string, fd: number, bytes: Buffer, start: number, end: number): void {
  try {
    for (let at = start; at < end;) at += writeSync(fd, bytes, at, end - at);
  } catch (error) {
    throw writeFault(path, error);
  }
}
