import { csvToLines } from "../page/csv.ts";
import { writevSync, openSync, closeSync, writeSync } from "node:fs";
import { fingerprintOf } from "../page/fingerprint.ts";
import { openJsonPage, type PageFormat } from "../page/records.ts";
import {
  newScan,
  newScanner,
  reservedPrefix,
  skipSpace,
  type Problem,
  type Scan,
  type Scanner,
} from "../page/scan.ts";

export type RejectReason = Problem | "not_an_object" | "too_large";

/** A record that cannot be staged, with its text, bound for the quarantine. */
export type Reject = { readonly reason: RejectReason; readonly text: string };

export type StageRules = {
  /** Fields that have a column of their own. */
  readonly knownFields: readonly string[];
  /** Fields at the front of the fingerprint (schemas/fingerprint.json). */
  readonly baseline: readonly string[];
  readonly maxRecordBytes: number;
};

export type Staged = { readonly fetched: number; readonly rejects: readonly Reject[] };

type Lines = {
  readonly parts: Buffer[];
  fetched: number;
  readonly rejects: Reject[];
  /** Lines that follow each other unchanged are one piece: nothing is copied that need not change. */
  readonly run: { start: number; end: number };
};

const lineFeed = Buffer.from("\n");

/**
 * `quick` leaves it to the database to find members that the catalog does not know; `careful` walks every
 * record and sets them apart, for keys that the database cannot tell apart itself.
 */
export type StageMode = "quick" | "careful";

/**
 * Writes the records of a whole page to `file`, one per line, as the load reads them: as they were sent, plus
 * the fingerprint of records with objects inside and, in careful mode, the unknown members once more in one
 * place. Returns how many records the page had and those that go to the quarantine; throws PageError on a
 * page cut off.
 */
export function stagePage(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
  rules: StageRules,
  file: string,
  mode: StageMode,
): Staged {
  const lines: Lines = { parts: [], fetched: 0, rejects: [], run: { start: 0, end: 0 } };
  const source = format === "csv" ? csvToLines(bytes) : bytes;
  const stage = newStager(source, lines, rules, mode);
  if (format === "json")
    for (const e of openJsonPage(source, recordsAt).elements) stage(e.start, e.end);
  else stageLines(source, stage);
  endRun(source, lines);
  writeParts(file, lines.parts);
  return { fetched: lines.fetched, rejects: lines.rejects };
}

type Stage = (start: number, end: number) => void;

function newStager(bytes: Buffer, lines: Lines, rules: StageRules, mode: StageMode): Stage {
  const isPlain = mode === "quick" ? newPlainTest(bytes) : (): boolean => false;
  const scan = newScan();
  const rest = newScan();
  const scanner: Scanner = newScanner(rules.knownFields);
  return (start, end) => {
    lines.fetched += 1;
    const reject = (reason: RejectReason): void =>
      void lines.rejects.push({ reason, text: bytes.toString("utf8", start, end) });
    if (end - start > rules.maxRecordBytes) return reject("too_large");
    if (bytes[start] !== 123)
      return reject(isJson(bytes, start, end) ? "not_an_object" : "invalid_json");
    if (isPlain(start, end)) return append(bytes, lines, start, end);
    scanner(bytes, start, scan);
    if (scan.problem !== null) return reject(scan.problem);
    if (scan.end < 0 || scan.end > end || skipSpace(bytes, scan.end, rest) < end)
      return reject("invalid_json");
    if (mode === "quick") scan.unknown.length = 0;
    const ordinary = !scan.isComplex && !scan.hasLineBreak && scan.unknown.length === 0;
    if (ordinary) return append(bytes, lines, start, scan.end);
    endRun(bytes, lines);
    if (!annotate(lines.parts, bytes, start, scan, rules)) reject("invalid_json");
  };
}

// A record without a second brace, a line break or an escaped control character needs no walk. The searches
// run natively, which is what makes a million records quick.
function newPlainTest(bytes: Buffer): (start: number, end: number) => boolean {
  if (bytes.includes("\\u00") || bytes.includes(`"${reservedPrefix}`)) return () => false;
  const nextBrace = newFinder(bytes, 123);
  const nextLineFeed = newFinder(bytes, 10);
  const nextReturn = newFinder(bytes, 13);
  return (start, end) =>
    nextBrace(start) >= end && nextLineFeed(start) >= end && nextReturn(start) >= end;
}

// Where a byte comes next; the positions asked for only grow.
function newFinder(bytes: Buffer, byte: number): (after: number) => number {
  let found = -1;
  return (after) => {
    if (found <= after) {
      found = bytes.indexOf(byte, after + 1);
      if (found < 0) found = Infinity;
    }
    return found;
  };
}

function append(bytes: Buffer, lines: Lines, start: number, end: number): void {
  const { run } = lines;
  if (run.end !== start) {
    endRun(bytes, lines);
    run.start = start;
  }
  run.end = bytes[end] === 10 ? end + 1 : end;
  if (run.end === end) endRun(bytes, lines);
}

function endRun(bytes: Buffer, { parts, run }: Lines): void {
  if (run.end > run.start) {
    parts.push(bytes.subarray(run.start, run.end));
    if (bytes[run.end - 1] !== 10) parts.push(lineFeed);
  }
  run.start = run.end = -1;
}

function annotate(
  parts: Buffer[],
  bytes: Buffer,
  start: number,
  scan: Scan,
  rules: StageRules,
): boolean {
  const body = Buffer.from(bytes.subarray(start, scan.end - 1));
  if (scan.hasLineBreak)
    for (let i = 0; i < body.length; i++) if (body[i] === 10 || body[i] === 13) body[i] = 32;
  parts.push(body);
  try {
    if (scan.isComplex)
      parts.push(
        member("fingerprint", `"${fingerprintOf(`${body.toString("utf8")}}`, rules.baseline)}"`),
      );
  } catch {
    parts.pop();
    return false;
  }
  if (scan.unknown.length > 0) {
    const members = scan.unknown.map((u) => body.toString("utf8", u.start - start, u.end - start));
    parts.push(member("others", `{${members.join(",")}}`));
  }
  parts.push(closing);
  return true;
}

const closing = Buffer.from("}\n");

function member(name: string, json: string): Buffer {
  return Buffer.from(`,"${reservedPrefix}${name}":${json}`);
}

function isJson(bytes: Buffer, start: number, end: number): boolean {
  try {
    JSON.parse(bytes.toString("utf8", start, end));
    return true;
  } catch {
    return false;
  }
}

function stageLines(bytes: Buffer, stage: Stage): void {
  const scan = newScan();
  for (let start = 0; start < bytes.length;) {
    const lineEnd = bytes.indexOf(10, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd;
    const first = skipSpace(bytes, start, scan);
    if (first < end) stage(first, bytes[end - 1] === 13 ? end - 1 : end);
    start = end + 1;
  }
}

const maxVectors = 1000;

function writeParts(file: string, parts: Buffer[]): void {
  const fd = openSync(file, "wx", 0o600);
  try {
    for (let i = 0; i < parts.length; i += maxVectors) writeAll(fd, parts.slice(i, i + maxVectors));
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, parts: Buffer[]): void {
  const total = parts.reduce((n, p) => n + p.length, 0);
  const written = writevSync(fd, parts);
  if (written < total) {
    const rest = Buffer.concat(parts).subarray(written);
    for (let at = 0; at < rest.length;) at += writeSync(fd, rest, at);
  }
}
