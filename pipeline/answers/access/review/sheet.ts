import { parse } from "csv-parse/sync";
import { isCode, UsageError } from "../../../base/errors.ts";
import { readGiven } from "../../../base/home/given-file.ts";

/** A row of a file: its cells by the name of the column in lower case, and its line. */
export type SheetRow = {
  readonly file: string;
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
};

/** Columns that a file of a review has to have; a reason, a reviewer and a date may be left out. */
const needed = ["person", "right", "way", "decision", "row", "review"];

/**
 * The rows of a file as a spreadsheet saves it, in UTF-8, UTF-16 or the code page of old. Cells are parted by comma,
 * semicolon or tab. A mark at the beginning, any ends of lines and any order of columns are taken. Throws UsageError
 * for what is no such table.
 */
export function readSheet(path: string): SheetRow[] {
  const text = textOf(path)
    .replace(/^\uFEFF/, "")
    .replace(/^sep=.\r?\n/i, "");
  const rows = cellsOf(text, path);
  const header = (rows[0]?.record ?? []).map((name) => name.trim().toLowerCase());
  check(header, path);
  return rows.slice(1).flatMap(({ record, info }) => {
    const cells = new Map(header.map((name, i) => [name, (record[i] ?? "").trim()] as const));
    const isEmpty = [...cells.values()].every((cell) => cell === "");
    return isEmpty ? [] : [{ file: path, line: info.lines, cells }];
  });
}

function textOf(path: string): string {
  const bytes = readGiven(path, "the review");
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

type Parsed = { readonly record: string[]; readonly info: { readonly lines: number } };

function cellsOf(text: string, path: string): Parsed[] {
  const first = /^[^\r\n]*/.exec(text)![0];
  const delimiter = [",", ";", "\t"].toSorted(
    (a, b) => first.split(b).length - first.split(a).length,
  )[0]!;
  try {
    return parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ["\r\n", "\n", "\r"],
    }) as unknown as Parsed[];
  } catch (error) {
    const what = isCode(error, "CSV_QUOTE_NOT_CLOSED") ? "ends inside a quoted cell" : "is no CSV";
    throw new UsageError(`${path} ${what}; expected a file of access review export`);
  }
}

function check(header: readonly string[], path: string): void {
  const missing = needed.filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new UsageError(
      `${path} has no column ${missing.join(", ")}; expected a file of access review export with all of its columns, and nothing else in the folder`,
    );
  const twice = header.find((name, i) => name !== "" && header.indexOf(name) !== i);
  if (twice !== undefined)
    throw new UsageError(`${path} has two columns ${JSON.stringify(twice)}; expected each once`);
}
