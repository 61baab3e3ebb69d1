import { isUtf8 } from "node:buffer";
import { parse } from "csv-parse/sync";
import { isCode } from "../../base/errors.ts";
import { PageError } from "./error.ts";
import { markLength } from "./text.ts";

// Bytes are read and written as latin1, one character per byte. Invalid UTF-8 is preserved and detected when the record
// is staged.

export type CsvForm = typeof csvOptions & { readonly delimiter: string; readonly ltrim: boolean };

const csvOptions = {
  encoding: "latin1",
  skip_empty_lines: true,
  relax_column_count: true,
} as const;

/**
 * How CSV is read whose first line is in `head`: by the separator that shows most names in the header, `time` among
 * them. Where blanks follow the separators in the header, they do so in the rows, and are no part of the cells.
 */
export function detectCsvForm(head: Buffer, separators: readonly string[]): CsvForm {
  const [line = ""] = head.toString("latin1", markLength(head)).split(/[\r\n]/, 1);
  const found = separators
    .map((delimiter) => ({ delimiter, names: line.split(delimiter) }))
    .map((one) => ({ ...one, hasTime: one.names.some((name) => trimName(name) === "time") }))
    .sort((a, b) => +b.hasTime - +a.hasTime || b.names.length - a.names.length);
  const { delimiter, names } = found[0]!;
  const ltrim = names.length > 1 && names.slice(1).every((name) => /^ +\S/.test(name));
  return { ...csvOptions, delimiter, ltrim };
}

function trimName(name: string): string {
  return name
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .trim();
}

/**
 * CSV rows as JSON lines; empty cells are absent, everything else stays text. A row with another number of cells than
 * the header becomes an array, which is no record. Throws PageError where quotes do not match or where the header has
 * no column `time`.
 */
export function convertCsvToLines(bytes: Buffer): Buffer {
  const rows = read(bytes.subarray(markLength(bytes)));
  const write = newRowWriter(rows[0] ?? []);
  checkLastRow(rows[0] ?? [], rows.at(-1) ?? [], bytes.at(-1) === 10 || bytes.at(-1) === 13);
  return Buffer.from(rows.slice(1).map(write).join(""), "latin1");
}

function read(bytes: Buffer): string[][] {
  try {
    return parse(bytes, detectCsvForm(bytes, [","]));
  } catch (error) {
    throw toPageError(error);
  }
}

/** Throws PageError where the last row has no end and too few cells: there the page is cut off. */
export function checkLastRow(
  header: readonly string[],
  last: readonly string[],
  isEnded: boolean,
): void {
  if (!isEnded && last.length < header.length)
    throw new PageError("the CSV is truncated in its last row; expected complete rows");
}

/** What a reader of CSV threw as a PageError, without any of the content. */
export function toPageError(error: unknown): PageError {
  if (error instanceof PageError) return error;
  const lines =
    error instanceof Error && "lines" in error ? ` near line ${Number(error.lines)}` : "";
  const what = isCode(error, "CSV_QUOTE_NOT_CLOSED")
    ? "the CSV ends inside a quoted cell: it is truncated, or a quote is not closed"
    : isCode(error, "CSV_MAX_RECORD_SIZE")
      ? "the CSV has a row that is too long, or a quote that is not closed"
      : "the CSV has a quote in an invalid place";
  return new PageError(`${what}${lines}; expected cells separated by comma, quoted as in RFC 4180`);
}

// What no text has, but pictures, archives and the like do.
const binary = /[\u0000-\u0008\u000e-\u001f]/;

function isNoText(name: string): boolean {
  return binary.test(name) || !isUtf8(Buffer.from(name, "latin1"));
}

// What database exports write for null.
function isNull(cell: string): boolean {
  return cell === "" || cell === "\\N";
}

/** Turns a row into its JSON line, under the names of the header; both as latin1 text. */
export function newRowWriter(names: readonly string[]): (row: readonly string[]) => string {
  const header = names.map((name) => name.trim());
  if (!header.includes("time") && header.some(isNoText))
    throw new PageError(
      "the page is not UTF-8 text; expected JSON, newline-delimited JSON or CSV, plain, gzip or zstd",
    );
  if (!header.includes("time"))
    throw new PageError(
      "the page is text without a column time; expected JSON, newline-delimited JSON, or CSV with time in its header, separated by comma; in a file, also by semicolon, tab, pipe, or the character of --separator",
    );
  if (new Set(header).size < header.length)
    throw new PageError("the CSV has two columns with the same name; expected unique names");
  const keys = header.map((name) => `${JSON.stringify(name)}:`);
  return (row) => {
    if (row.length !== keys.length) return `${JSON.stringify(row)}\n`;
    const members = row.map((cell, i) => (isNull(cell) ? "" : keys[i] + JSON.stringify(cell)));
    return `{${members.filter((member) => member !== "").join(",")}}\n`;
  };
}
