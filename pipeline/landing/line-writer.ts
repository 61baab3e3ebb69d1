import { closeSync, openSync, writeSync } from "node:fs";
import { writeFault } from "../durable.ts";

/** A file of lines being written; `using` writes what is left and closes it. */
export type LineWriter = Disposable & {
  /** Writes the bytes between two positions and a line break after them. */
  readonly line: (bytes: Buffer, start: number, end: number) => void;
  /** Writes text as it is. */
  readonly text: (text: string) => void;
  /** Bytes of the longest line so far. */
  readonly longest: () => number;
};

const bufferBytes = 256 * 1024;
const directBytes = 64 * 1024;

/** Creates a file, mode 0600, for lines. Lines that stand side by side in one buffer are written in one go. */
export function createLineWriter(path: string): LineWriter {
  const fd = openSync(path, "wx", 0o600);
  const out = Buffer.allocUnsafeSlow(bufferBytes);
  let length = 0;
  let longest = 0;
  let run: { readonly bytes: Buffer; readonly start: number; end: number } | undefined;

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
  const endRun = (): void => {
    if (run === undefined) return;
    const { bytes, start, end } = run;
    run = undefined;
    put(bytes, start, end);
    if (bytes[end - 1] !== 10) put(lineFeed, 0, 1);
  };
  const text = (value: string): void => {
    endRun();
    const bytes = Buffer.from(value);
    if (bytes.length > longest) longest = bytes.length;
    put(bytes, 0, bytes.length);
  };
  const line = (bytes: Buffer, start: number, end: number): void => {
    const next = bytes[end] === 10 ? end + 1 : end;
    if (end - start > longest) longest = end - start;
    // A run goes on only where the line before it ended with its own line break.
    if (run?.bytes === bytes && run.end === start && bytes[start - 1] === 10) run.end = next;
    else {
      endRun();
      run = { bytes, start, end: next };
    }
  };
  const close = (): void => {
    try {
      endRun();
      flush();
    } finally {
      closeSync(fd);
    }
  };
  return { line, text, longest: () => longest, [Symbol.dispose]: close };
}

const lineFeed = Buffer.from("\n");

function writeAll(path: string, fd: number, bytes: Buffer, start: number, end: number): void {
  try {
    for (let at = start; at < end;) at += writeSync(fd, bytes, at, end - at);
  } catch (error) {
    throw writeFault(path, error);
  }
}
