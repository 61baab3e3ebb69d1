import { isUtf8 } from "node:buffer";
import { rmSync } from "node:fs";
import { csvToLines } from "./csv.ts";
import type { PageFormat } from "./format.ts";
import type { IdentityFields } from "./identity.ts";
import { eachLine, readJson } from "./each.ts";
import { newScan, newScanner, type Problem } from "./scan.ts";
import { closeBrace, openBrace, quote, skipSpace } from "./structure.ts";
import { readableText } from "./text.ts";
import { createLineWriter, type LineWriter } from "./line-writer.ts";
import { isJsonText, writeRecord } from "./record-line.ts";

export type RejectReason = Problem | "no_time" | "not_an_object" | "not_utf8" | "too_large";

/** A record that cannot be staged, with its text, bound for the quarantine. */
export type Reject = { readonly reason: RejectReason; readonly text: string };

export type StageRules = {
  /** Fields in the key of a record (schemas/identity.json); all others are set apart. */
  readonly identity: IdentityFields;
  readonly maxRecordBytes: number;
};

/** What a page is, where in its body the records are, and where in a record what names it; null means found by itself. */
export type PageShape = {
  readonly format: PageFormat;
  readonly recordsAt: string | null;
  readonly idAt?: string | null | undefined;
};

/** Where the lines go; records without an id go to `nameless` where that is given. */
export type LineFiles = { readonly named: string; readonly nameless?: string };

export type Staged = {
  readonly fetched: number;
  readonly rejects: readonly Reject[];
  /** Bytes of the longest line that was written. */
  readonly longest: number;
};

/**
 * Writes the records of a whole page to files, one per line, as the load reads them. Each stands as it was sent, plus
 * its place on the page. Records with objects or arrays inside have their canonical texts, and members that the catalog
 * does not know stand once more in one place. Returns how many records the page had and those that go to the
 * quarantine; throws PageError, and leaves no file, on a page cut off.
 */
export function stagePage(
  bytes: Buffer,
  { format, recordsAt, idAt = null }: PageShape,
  rules: StageRules,
  files: LineFiles,
): Staged {
  try {
    using named = createLineWriter(files.named);
    using nameless = files.nameless === undefined ? undefined : createLineWriter(files.nameless);
    const source = format === "csv" ? csvToLines(bytes) : bytes;
    const rejects: Reject[] = [];
    const lines = { named, nameless: nameless ?? named };
    const stage = newStager(source, lines, { ...rules, idAt }, (start, end, reason) => {
      rejects.push({ reason, text: readableText(source.subarray(start, end)) });
    });
    const fetched =
      format === "json" ? readJson(source, recordsAt, stage).records : eachLine(source, stage);
    return { fetched, rejects, longest: Math.max(named.longest(), lines.nameless.longest()) };
  } catch (error) {
    for (const path of Object.values(files)) rmSync(path, { force: true });
    throw error;
  }
}

type Stage = (start: number, end: number) => void;

type Lines = { readonly named: LineWriter; readonly nameless: LineWriter };

function newStager(
  bytes: Buffer,
  { named, nameless }: Lines,
  rules: StageRules & { readonly idAt: string | null },
  refuse: (start: number, end: number, reason: RejectReason) => void,
): Stage {
  const isText = isUtf8(bytes);
  const scanner = newScanner(Object.keys(rules.identity));
  const scan = newScan();
  let place = -1;
  return (start, end) => {
    place += 1;
    const flaw = flawOf(bytes, start, end, isText, rules.maxRecordBytes);
    if (flaw !== undefined) return refuse(start, end, flaw);
    scanner(bytes, start, end, scan);
    const lines = scan.hasId || rules.idAt !== null ? named : nameless;
    const isWhole = scan.end > 0 && skipSpace(bytes, scan.end, end) === end;
    if (scan.problem !== null) refuse(start, end, scan.problem);
    else if (!isWhole || !writeRecord(lines, bytes, scan, place, rules))
      refuse(start, end, "invalid_json");
  };
}

function flawOf(
  bytes: Buffer,
  start: number,
  end: number,
  isText: boolean,
  maxBytes: number,
): RejectReason | undefined {
  if (end - start > maxBytes) return "too_large";
  if (!isText && !isUtf8(bytes.subarray(start, end))) return "not_utf8";
  if (bytes[start] === openBrace) return isBare(bytes, start, end) ? "no_time" : undefined;
  return isJson(bytes, start, end) ? "not_an_object" : "invalid_json";
}

// Nothing can be added to an object without members by a comma.
function isBare(bytes: Buffer, start: number, end: number): boolean {
  return bytes[start + 1] !== quote && bytes[skipSpace(bytes, start + 1, end)] === closeBrace;
}

function isJson(bytes: Buffer, start: number, end: number): boolean {
  return isJsonText(bytes.toString("utf8", start, end));
}
