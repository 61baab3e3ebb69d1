import { closeSync, openSync, writeSync } from "node:fs";
import { writeFault } from "../durable.ts";

/** A file of lines being written; `using` writes what is left and closes it. */
export type LineWriter = Disposable & {
  /** Writes the bytes between two positions, the text `tail` and a line break. */
  readonly line: (bytes: Buffer, start: number, end: number, tail: string) => void;
  /** Bytes of the longest line so far. */
  readonly longest: () => number;
};

const bufferBytes = 256 * 1024;
const directBytes = 64 * 1024;

/** Creates a file, mode 0600, for lines. */
export function createLineWriter(path: string): LineWriter {
  const fd = openSync(path, "wx", 0o600);
  const out = Buffer.allocUnsafeSlow(bufferBytes);
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
  const write = (text: string): void => {
    const bytes = Buffer.byteLength(text);
    if (bytes > directBytes) return put(Buffer.from(text), 0, bytes);
    if (length + bytes > bufferBytes) flush();
    length += out.write(text, length);
  };
  const line = (bytes: Buffer, start: number, end: number, tail: string): void => {
    const before = end - start;
    put(bytes, start, end);
    write(`${tail}\n`);
    longest = Math.max(longest, before + Buffer.byteLength(tail));
  };
  const close = (): void => {
    try {
      flush();
    } finally {
      closeSync(fd);
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
