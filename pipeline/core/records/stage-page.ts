import { isUtf8 } from "node:buffer";
import { convertCsvToLines } from "./csv.ts";
import type { PageFormat } from "./format.ts";
import { writeCanonicalText, writeCanonicalTexts, type IdentityFields } from "./identity.ts";
import { forEachLine, readJson } from "./each.ts";
import { newScan, newScanner, type Problem, reservedPrefix, type Scan } from "./scan.ts";
import { closeBrace, openBrace, quote, skipSpace, skipValue } from "./structure.ts";
import { decodeReadable } from "./text.ts";
import { pageStep } from "../../../schemas/generators/incoming.ts";
import { type LineWriter, numberMember } from "./line-writer.ts";
import { readDigits, writeJson, parseKeepingNumbers } from "./canonical.ts";
import { readValueAt } from "./signs.ts";

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

/** Where the lines go: records with an id, and those without one. */
export type Lines = { readonly named: LineWriter; readonly nameless: LineWriter };

export type StageResult = {
  readonly fetched: number;
  readonly rejects: readonly Reject[];
  /** Bytes of the longest line in the files so far. */
  readonly longest: number;
};

/**
 * Writes the records of a complete page as the load reads them, one per line: the record as sent, its page and its
 * place there. Records with nested objects or arrays also get their canonical texts; members unknown to the catalog are
 * repeated in one place. Returns the number of records and the quarantined records. Throws PageError on a truncated
 * page, possibly after writing lines.
 */
export function stagePage(
  bytes: Buffer,
  { format, recordsAt, idAt = null }: PageShape,
  rules: StageRules,
  lines: Lines,
  page = 0,
): StageResult {
  const source = format === "csv" ? convertCsvToLines(bytes) : bytes;
  const rejects: Reject[] = [];
  const own = { ...rules, idAt, first: page * pageStep };
  const { endOf, stage } = newStager(source, lines, own, (start, end, reason) => {
    rejects.push({ reason, text: decodeReadable(source.subarray(start, end)) });
  });
  const fetched =
    format === "json"
      ? readJson(source, recordsAt, stage, [], endOf).records
      : forEachLine(source, stage);
  return { fetched, rejects, longest: Math.max(lines.named.longest(), lines.nameless.longest()) };
}

type Stager = {
  /** The end of the record at `start`, found by the same scan that checks the record. */
  readonly endOf: (bytes: Buffer, start: number) => number;
  readonly stage: (start: number, end: number) => void;
};

function newStager(
  bytes: Buffer,
  { named, nameless }: Lines,
  rules: StageRules & { readonly idAt: string | null; readonly first: number },
  refuse: (start: number, end: number, reason: RejectReason) => void,
): Stager {
  const isText = isUtf8(bytes);
  const scanner = newScanner(Object.keys(rules.identity));
  const scan = newScan();
  let place = rules.first - 1;
  const endOf: Stager["endOf"] = (_bytes, start) => {
    if (bytes[start] !== openBrace) return skipValue(bytes, start);
    scanner(bytes, start, bytes.length, scan);
    return scan.end > 0 ? scan.end : skipValue(bytes, start);
  };
  const stage: Stager["stage"] = (start, end) => {
    place += 1;
    const flaw = findFlaw(bytes, start, end, isText, rules.maxRecordBytes);
    if (flaw !== undefined) return refuse(start, end, flaw);
    if (scan.start !== start) scanner(bytes, start, end, scan);
    const lines = scan.hasId || rules.idAt !== null ? named : nameless;
    const isWhole = scan.end > 0 && skipSpace(bytes, scan.end, end) === end;
    if (scan.problem !== null) refuse(start, end, scan.problem);
    else if (!isWhole || !writeRecord(lines, bytes, scan, place, rules))
      refuse(start, end, "invalid_json");
  };
  return { endOf, stage };
}

function findFlaw(
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

/** Identity of records: the fields in their keys and the path of their id, if it is not `id`. */
type Naming = { readonly identity: IdentityFields; readonly idAt: string | null };

/**
 * Writes a record as a line that ends in its page and place. Returns false, and writes nothing, where a value inside
 * is no JSON. Of an ordinary record nothing is turned into text.
 */
function writeRecord(
  lines: LineWriter,
  bytes: Buffer,
  scan: Scan,
  place: number,
  naming: Naming,
): boolean {
  if (scan.isComplex || scan.hasLineBreak || scan.unknown.length > 0 || naming.idAt !== null)
    return writeWithMore(lines, bytes, scan, place, naming);
  lines.numbered(bytes, scan.start, scan.end - 1, place);
  return true;
}

function writeWithMore(
  lines: LineWriter,
  bytes: Buffer,
  { start, end, unknown, isComplex, hasLineBreak }: Scan,
  place: number,
  naming: Naming,
): boolean {
  // Line breaks occur only between tokens: strings have them escaped.
  const decodeText = (from: number, to: number): string => {
    const found = bytes.toString("utf8", from, to);
    return hasLineBreak ? found.replaceAll(/[\r\n]/g, " ") : found;
  };
  const isParsed = isComplex || naming.idAt !== null;
  const given = isParsed
    ? readGivenMembers(decodeText(start, end), naming)
    : { members: "", replaced: [] };
  if (given === undefined) return false;
  const more = unknown.map((member) => decodeText(member.start, member.end));
  const members = formatMembers([...more, ...given.replaced]);
  if (members === undefined) return false;
  const others = members === "" ? "" : `,"${reservedPrefix}others":{${members}}`;
  const tail = `,"${numberMember}":${place}${given.members}${others}}\n`;
  if (!hasLineBreak) lines.line(bytes, start, end - 1, tail);
  else {
    const body = Buffer.from(decodeText(start, end - 1));
    lines.line(body, 0, body.length, tail);
  }
  return true;
}

// As the database writes members that it finds itself: in the order of their keys, and nothing for a null.
function formatMembers(members: readonly string[]): string | undefined {
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

type GivenMembers = {
  readonly members: string;
  /** An `id` whose place was taken. */ readonly replaced: readonly string[];
};

function readGivenMembers(json: string, { identity, idAt }: Naming): GivenMembers | undefined {
  const record = parseRecord(json);
  if (record === undefined) return undefined;
  const id = idAt === null ? "" : readOwnId(record, idAt);
  const formatTexts = (of: Readonly<Record<string, unknown>>): string =>
    `,"${reservedPrefix}texts":${JSON.stringify(writeCanonicalTexts(of, identity))}`;
  if (id === "") return { members: formatTexts(record), replaced: [] };
  const own = record["id"] ?? null;
  return {
    members: `,"${reservedPrefix}id":${JSON.stringify(id)}${formatTexts({ ...record, id })}`,
    replaced: own === null || idAt === "id" ? [] : [`"id":${writeJson(own)}`],
  };
}

function parseRecord(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parseKeepingNumbers(json) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function isJsonText(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the value that names a record at a path of its own (`audits.id_at`), in the form that a key has; empty where
 * the record has no scalar there. A member whose name is the whole path comes first, as columns of CSV have it.
 */
function readOwnId(record: Readonly<Record<string, unknown>>, path: string): string {
  const value = Object.hasOwn(record, path) ? record[path] : readValueAt(record, path);
  const isScalar = typeof value !== "object" || readDigits(value) !== undefined;
  return isScalar ? writeCanonicalText(value) : "";
}
