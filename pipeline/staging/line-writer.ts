import { closeSync, openSync, writeSync } from "node:fs";
import { writeFault } from "../home/durable.ts";

/** A file of lines being written; `using` writes what is left and closes it. */
export type LineWriter = Disposable & {
  /** Writes the bytes between two positions, the text `tail`, which ends in a line break, and counts it as a line. */
  readonly line: (bytes: Buffer, start: number, end: number, tail: string) => void;
  /** Bytes of the longest line so far. */
  readonly longest: () => number;
};

const bufferBytes = 256 * 1024;
const directBytes = 64 * 1024;
// Each new buffer brings the next collection of garbage nearer, and a load writes thousands of files.
const idle: Buffer[] = [];

/** Creates a file, mode 0600, for lines. */
export function createLineWriter(path: string): LineWriter {
  const fd = openSync(path, "wx", 0o600);
  const out = idle.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  let length = 0;
  let longest = 0;

  const flush = (): void => {
    writeAll(path, fd, out, 0, length);
    length = 0;
  };
  const put = (bytes: Buffer, start: number, end: number): void => {
    if (length + end - start > bufferBytes) flush();
    if (end - start > directBytes) {
      flush();
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
    if (length + mostBytes > bufferBytes) flush();
    const written = out.write(text, length);
    length += written;
    return written;
  };
  const line = (bytes: Buffer, start: number, end: number, tail: string): void => {
    put(bytes, start, end);
    longest = Math.max(longest, end - start + write(tail));
  };
  const close = (): void => {
    try {
      flush();
    } finally {
      closeSync(fd);
      idle.push(out);
    }
  };
  return { line, longest: () => longest, [Symbol.dispose]: close };
}

function writeAll(path: string, fd: number, bytes: Buffer, start: number, end: number): void {
  try {
    for (let at = start; at < end;) at += writeSync(fd, bytes, at, end - at);
  } catch (error) {
    throw writeFault(path, error);
  }
}
