import { isCode, UsageError } from "../../../base/errors.ts";
import { withFormula } from "../../../base/rows/delimited.ts";
import { type Item, formatRight, formatWay } from "./item.ts";
import { type Decision, findReview, type Review } from "./stored-decisions.ts";
import { parse } from "csv-parse/sync";
import { readGiven } from "../../../base/home/given-file.ts";
import { join } from "node:path";
import type { Settings } from "../../../base/home/settings.ts";
import { listFiles } from "../folder.ts";

type DecisionQuestion = {
  /** The reviewer of rows that name none. */
  readonly reviewer: string | undefined;
  /** The date of rows that have none. */
  readonly date: string;
  readonly isReasonNeeded: boolean;
};

/**
 * Reads the decisions in the rows of review files; rows without a decision are ignored. Throws UsageError with line and
 * fault before any action.
 */
export function readSheetDecisions(
  rows: readonly SheetRow[],
  review: Review,
  asked: DecisionQuestion,
): Map<string, Decision> {
  const items = new Map(review.items.map((item) => [item.row, item]));
  const faults: string[] = [];
  const found = new Map<string, Decision>();
  for (const row of rows) {
    const read = readRow(row, review.review_id, items, asked);
    const before = typeof read === "string" ? undefined : found.get(read.row);
    if (typeof read === "string") faults.push(`${place(row)} ${read}`);
    else if (before !== undefined && before.decision !== read.decision)
      faults.push(`${place(row)} row ${read.row} occurs twice with different decisions`);
    else found.set(read.row, read);
  }
  if (faults.length > 0) throw new UsageError(formatFaults(faults));
  return found;
}

const place = ({ file, line }: SheetRow): string => `${file} line ${line}:`;

function formatFaults(faults: readonly string[]): string {
  const more = faults.length > 3 ? ` (and ${faults.length - 3} more)` : "";
  return `${faults.slice(0, 3).join("; ")}${more}; nothing was sent`;
}

function readRow(
  { cells }: SheetRow,
  reviewId: string,
  items: ReadonlyMap<string, Item>,
  asked: DecisionQuestion,
): Decision | string {
  const getCell = (name: string): string => cells.get(name) ?? "";
  if (getCell("review") !== reviewId)
    return `it belongs to review ${JSON.stringify(getCell("review"))}, not ${reviewId}; apply each review separately`;
  const item = items.get(getCell("row"));
  if (item === undefined)
    return `row ${JSON.stringify(getCell("row"))} does not belong to the review; rows cannot be added`;
  const moved = findMovedCell(getCell, item);
  if (moved !== undefined) return moved;
  const word = getCell("decision").toLowerCase();
  if (word !== "" && word !== "keep" && word !== "revoke")
    return `decision ${JSON.stringify(getCell("decision"))}; expected keep, revoke or nothing`;
  const decision = {
    row: item.row,
    decision: word === "" ? null : word,
    reason: withFormula(getCell("reason")),
    reviewer: withFormula(getCell("reviewer")) || (asked.reviewer ?? ""),
    date: withFormula(getCell("date")) || asked.date,
  } as const;
  return describeMissing(decision, asked) ?? decision;
}

function describeMissing(
  { decision, reviewer, reason }: Decision,
  asked: DecisionQuestion,
): string | undefined {
  if (decision !== null && reviewer === "")
    return "a decision without a reviewer; name who decided, or add --reviewer NAME";
  if (decision === "revoke" && reason === "" && asked.isReasonNeeded)
    return "policies.require_reason requires a reason; add it to the file, or use --reason TEXT";
  return undefined;
}

// Columns that were sorted by themselves, or filled downwards, would decide on another user.
function findMovedCell(cell: (name: string) => string, item: Item): string | undefined {
  const shown = { person: item.person, right: formatRight(item), way: formatWay(item) };
  for (const [name, text] of Object.entries(shown))
    if (withFormula(cell(name)) !== withFormula(text.trim()))
      return `row ${item.row} has ${name} ${JSON.stringify(cell(name))}, and was exported with ${JSON.stringify(text)}; restore the row, as a CSV in UTF-8`;
  return undefined;
}

/** A row of a file: its cells by the name of the column in lower case, and its line. */
export type SheetRow = {
  readonly file: string;
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
};

/** Columns that a file of a review has to have; a reason, a reviewer and a date may be left out. */
const needed = ["person", "right", "way", "decision", "row", "review"];

/**
 * Reads a file saved by a spreadsheet, in UTF-8, UTF-16 or a legacy code page, with cells separated by comma, semicolon
 * or tab. Accepts a byte order mark, any line ends and any order of columns. Throws UsageError for anything else.
 */
export function readSheet(path: string): SheetRow[] {
  const text = readText(path)
    .replace(/^\uFEFF/, "")
    .replace(/^sep=.\r?\n/i, "");
  const rows = parseCells(text, path);
  const header = (rows[0]?.record ?? []).map((name) => name.trim().toLowerCase());
  check(header, path);
  return rows.slice(1).flatMap(({ record, info }) => {
    const cells = new Map(header.map((name, i) => [name, (record[i] ?? "").trim()] as const));
    const isEmpty = [...cells.values()].every((cell) => cell === "");
    return isEmpty ? [] : [{ file: path, line: info.lines, cells }];
  });
}

function readText(path: string): string {
  const bytes = readGiven(path, "the review");
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

type ParsedRow = { readonly record: string[]; readonly info: { readonly lines: number } };

function parseCells(text: string, path: string): ParsedRow[] {
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
    }) as unknown as ParsedRow[];
  } catch (error) {
    const what = isCode(error, "CSV_QUOTE_NOT_CLOSED") ? "ends inside a quoted cell" : "is not CSV";
    throw new UsageError(`${path} ${what}; expected a file of access review export`);
  }
}

function check(header: readonly string[], path: string): void {
  const missing = needed.filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new UsageError(
      `${path} has no column ${missing.join(", ")}; expected a file of access review export with all of its columns, and no other files in the folder`,
    );
  const twice = header.find((name, i) => name !== "" && header.indexOf(name) !== i);
  if (twice !== undefined)
    throw new UsageError(`${path} has two columns ${JSON.stringify(twice)}; expected each once`);
}

/** The rows of all files of a folder, by name; throws UsageError where it holds none or cannot be read. */
export function readSheets(folder: string): SheetRow[] {
  const files = listFiles(
    folder,
    /\.csv$/i,
    "no .csv file; expected those of access review export",
  );
  return files.flatMap((file) => readSheet(join(folder, file)));
}

/** The review that the rows are of; throws UsageError where the home has exported none of its id. */
export function findSheetReview(
  rows: readonly SheetRow[],
  folder: string,
  { home }: Settings,
): Review {
  const id = rows[0]?.cells.get("review");
  if (id === undefined)
    throw new UsageError(`the files of ${folder} have no rows; nothing to apply`);
  const review = findReview(home, id);
  if (review === undefined)
    throw new UsageError(
      `${rows[0]!.file}: review ${JSON.stringify(id)} was not exported from the home ${home.root}; apply it there`,
    );
  return review;
}
