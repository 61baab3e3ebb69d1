import { AuditlakeError } from "../../../base/errors.ts";
import type { ParamValue, Question } from "../../../base/sql/question.ts";
import { quoteText } from "../../../../schemas/quote.ts";
import { sqlTypes, formatValue } from "../../../base/report/values.ts";
import { formatSpaced } from "../../../base/time/text.ts";

/** A part of a statement, of one kind, in its original spelling. */
export type Piece = {
  readonly kind: "space" | "string" | "quoted" | "parameter" | "word" | "other";
  readonly text: string;
};

const forms: Readonly<Record<Piece["kind"], string>> = {
  space: String.raw`\s+|--[^\n\r]*`,
  string: String.raw`'(?:[^']|'')*'`,
  quoted: String.raw`"(?:[^"]|"")*"`,
  parameter: String.raw`\$[A-Za-z_]\w*`,
  word: String.raw`[\p{L}_][\p{L}\p{N}_$]*`,
  other: String.raw`\p{N}[\p{L}\p{N}_.]*|[^]`,
};
const kinds = Object.keys(forms) as Piece["kind"][];
const next = new RegExp(kinds.map((kind) => `(${forms[kind]})`).join("|"), "uy");

/**
 * Splits a statement into parts as the database does; a comment becomes a space. Unclosed text becomes pieces of one
 * letter, which an engine rejects.
 */
export function splitSql(sql: string): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < sql.length;) {
    const end = findBlockEnd(sql, at);
    const piece = end === undefined ? readPiece(sql, at) : newSpace(sql.slice(at, end));
    pieces.push(piece.text.startsWith("--") ? { ...piece, text: "" } : piece);
    at = end ?? next.lastIndex;
  }
  return pieces;
}

function readPiece(sql: string, at: number): Piece {
  next.lastIndex = at;
  const [text, ...groups] = next.exec(sql)!;
  return { kind: kinds[groups.findIndex((found) => found !== undefined)]!, text };
}

// What stood on both sides of a comment stays apart; lines stay lines.
function newSpace(comment: string): Piece {
  return { kind: "space", text: comment.includes("\n") ? "\n" : " " };
}

// Comments in a block lie in each other.
function findBlockEnd(sql: string, start: number): number | undefined {
  if (!sql.startsWith("/*", start)) return undefined;
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let found = edge.exec(sql); found !== null; found = edge.exec(sql)) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return undefined;
}

/** Pieces as a text again, without comments. */
export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** Returns the name that a piece contains, in lower case; undefined if it is no name. */
export function readName(piece: Piece | undefined): string | undefined {
  if (piece?.kind === "word") return piece.text.toLowerCase();
  if (piece?.kind === "quoted") return piece.text.slice(1, -1).replaceAll('""', '"').toLowerCase();
  return undefined;
}

const beforeTables = new Set(["from", "join", "table", ","]);

/**
 * Lists the known names that a text may read from: those in the position of a table. A column with such a name after a
 * comma is included.
 */
export function listTables(sql: string, known: ReadonlySet<string>): Set<string> {
  const pieces = splitSql(sql).filter(({ kind }) => kind !== "space");
  const found = pieces.flatMap((piece, at) => {
    const name = readName(piece);
    const isTable = name !== undefined && known.has(name) && canBeTable(pieces, at);
    return isTable ? [name] : [];
  });
  return new Set(found);
}

function canBeTable(pieces: readonly Piece[], at: number): boolean {
  let before = at - 1;
  while (pieces[before]?.text === "(") before -= 1;
  const isQualifier = pieces[at + 1]?.text === ".";
  return !isQualifier && beforeTables.has(pieces[before]?.text.toLowerCase() ?? "");
}

const types: typeof sqlTypes = { ...sqlTypes, timestamp: "timestamp(3)" };

/**
 * Returns a statement with parameters passed beside it, by position and with types: values are never part of its text.
 * Throws AuditlakeError for a parameter without a value.
 */
export function bindSql(sql: string, values: Question["values"]): string {
  const used: ParamValue[] = [];
  const pieces = splitSql(sql).map((piece) => {
    if (piece.kind !== "parameter") return piece;
    const name = piece.text.slice(1);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      throw new AuditlakeError(`the SQL uses $${name}, which no "-- param:" line declares`);
    used.push(value);
    return { ...piece, text: "?" };
  });
  const using = used.length === 0 ? "" : ` using ${used.map(writeLiteral).join(", ")}`;
  return `execute immediate ${quoteText(joinPieces(pieces))}${using}`;
}

function writeLiteral(param: ParamValue): string {
  const type = types[param.type];
  if (param.value === null) return `cast(null as ${type})`;
  const text = param.type === "timestamp" ? formatSpaced(formatValue(param)) : formatValue(param);
  return `cast(${quoteText(text)} as ${type})`;
}
