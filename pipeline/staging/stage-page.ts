import { isUtf8 } from "node:buffer";
import { rmSync } from "node:fs";
import { csvToLines } from "../records/csv.ts";
import type { PageFormat } from "../records/format.ts";
import { canonicalTexts, type IdentityFields } from "../records/identity.ts";
import { eachLine, readJson } from "../records/each.ts";
import { newScan, newScanner, reservedPrefix, type Problem, type Scan } from "../records/scan.ts";
import { closeBrace, openBrace, quote, skipSpace } from "../records/structure.ts";
import { readableText } from "../records/text.ts";
import { createLineWriter, numberMember, type LineWriter } from "./line-writer.ts";

export type RejectReason = Problem | "no_time" | "not_an_object" | "not_utf8" | "too_large";

/** A record that cannot be staged, with its text, bound for the quarantine. */
export type Reject = { readonly reason: RejectReason; readonly text: string };

export type StageRules = {
  /** Fields in the key of a record (schemas/identity.json); all others are set apart. */
  readonly identity: IdentityFields;
  readonly maxRecordBytes: number;
};

export type Staged = {
  readonly fetched: number;
  readonly rejects: readonly Reject[];
  /** Bytes of the longest line that was written. */
  readonly longest: number;
};

/**
 * Writes the records of a whole page to `file`, one per line, as the load reads them. Each stands as it was sent, plus
 * its place on the page. Records with objects or arrays inside have their canonical texts, and members that the catalog
 * does not know stand once more in one place. Records without an id go to the file `apart` where one is given. Returns
 * how many records the page had and those that go to the quarantine; throws PageError, and leaves no file, on a page
 * cut off.
 */
export function stagePage(
  bytes: Buffer,
  format: PageFormat,
  recordsAt: string | null,
  rules: StageRules,
  file: string,
  apart?: string,
): Staged {
  try {
    using named = createLineWriter(file);
    using nameless = apart === undefined ? undefined : createLineWriter(apart);
    const source = format === "csv" ? csvToLines(bytes) : bytes;
    const rejects: Reject[] = [];
    const lines = { named, nameless: nameless ?? named };
    const stage = newStager(source, lines, rules, (start, end, reason) => {
      rejects.push({ reason, text: readableText(source.subarray(start, end)) });
    });
    const fetched =
      format === "json" ? readJson(source, recordsAt, stage).records : eachLine(source, stage);
    return { fetched, rejects, longest: Math.max(named.longest(), lines.nameless.longest()) };
  } catch (error) {
    for (const path of [file, apart ?? file]) rmSync(path, { force: true });
    throw error;
  }
}

type Stage = (start: number, end: number) => void;

type Lines = { readonly named: LineWriter; readonly nameless: LineWriter };

function newStager(
  bytes: Buffer,
  { named, nameless }: Lines,
  rules: StageRules,
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
    const lines = scan.hasId ? named : nameless;
    const isWhole = scan.end > 0 && skipSpace(bytes, scan.end, end) === end;
    if (scan.problem !== null) refuse(start, end, scan.problem);
    else if (!isWhole || !write(lines, bytes, start, place, scan, rules.identity))
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

// False where a value inside the record is no JSON. Of an ordinary record nothing is turned into text.
function write(
  lines: LineWriter,
  bytes: Buffer,
  start: number,
  place: number,
  scan: Scan,
  identity: IdentityFields,
): boolean {
  if (scan.isComplex || scan.hasLineBreak || scan.unknown.length > 0)
    return writeWithMore(lines, bytes, start, place, scan, identity);
  lines.numbered(bytes, start, scan.end - 1, place);
  return true;
}

function writeWithMore(
  lines: LineWriter,
  bytes: Buffer,
  start: number,
  place: number,
  { end, unknown, isComplex, hasLineBreak }: Scan,
  identity: IdentityFields,
): boolean {
  // Line breaks stand between tokens only: inside a string they are escaped.
  const text = (from: number, to: number): string => {
    const found = bytes.toString("utf8", from, to);
    return hasLineBreak ? found.replaceAll(/[\r\n]/g, " ") : found;
  };
  const given = isComplex ? textsMember(text(start, end), identity) : "";
  if (given === undefined) return false;
  const members = membersText(unknown.map((member) => text(member.start, member.end)));
  if (members === undefined) return false;
  const others = members === "" ? "" : `,"${reservedPrefix}others":{${members}}`;
  const tail = `,"${numberMember}":${place}${given}${others}}\n`;
  if (!hasLineBreak) lines.line(bytes, start, end - 1, tail);
  else {
    const body = Buffer.from(text(start, end - 1));
    lines.line(body, 0, body.length, tail);
  }
  return true;
}

// As the database writes members that it finds itself: in the order of their keys, and nothing for a null.
function membersText(members: readonly string[]): string | undefined {
  const parts: { key: string; value: string }[] = [];
  for (const member of members) {
    const [, key = "", value = ""] = /^("(?:[^"\\]|\\.)*")\s*:\s*([^]*)$/.exec(member) ?? [];
    if (!isJsonText(key)) return undefined;
    parts.push({ key: JSON.parse(key) as string, value });
  }
  return parts
    .filter(({ value }) => value !== "null")
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value }) => `${JSON.stringify(key)}:${value}`)
    .join(",");
}

function textsMember(record: string, identity: IdentityFields): string | undefined {
  try {
    return `,"${reservedPrefix}texts":${JSON.stringify(canonicalTexts(record, identity))}`;
  } catch {
    return undefined;
  }
}

function isJson(bytes: Buffer, start: number, end: number): boolean {
  return isJsonText(bytes.toString("utf8", start, end));
}

function isJsonText(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
