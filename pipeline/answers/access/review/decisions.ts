import { UsageError } from "../../../base/errors.ts";
import { withFormula } from "../../../base/rows/delimited.ts";
import { rightText, wayText, type Item } from "./item.ts";
import type { Decision, Review } from "./kept-decisions.ts";
import type { SheetRow } from "./sheet.ts";

type Asked = {
  /** Who decided where a row names nobody. */
  readonly reviewer: string | undefined;
  /** What stands for a date that is left out. */
  readonly date: string;
  readonly isReasonNeeded: boolean;
};

/**
 * What rows of files decide on a review; a row without a decision decides nothing. Throws UsageError that names what is
 * wrong with which line, before anything is acted on.
 */
export function decisionsOf(
  rows: readonly SheetRow[],
  review: Review,
  asked: Asked,
): Map<string, Decision> {
  const items = new Map(review.items.map((item) => [item.row, item]));
  const faults: string[] = [];
  const found = new Map<string, Decision>();
  for (const row of rows) {
    const read = readRow(row, review.review_id, items, asked);
    const before = typeof read === "string" ? undefined : found.get(read.row);
    if (typeof read === "string") faults.push(`${place(row)} ${read}`);
    else if (before !== undefined && before.decision !== read.decision)
      faults.push(`${place(row)} row ${read.row} is there twice, decided in two ways`);
    else found.set(read.row, read);
  }
  if (faults.length > 0) throw new UsageError(faultText(faults));
  return found;
}

const place = ({ file, line }: SheetRow): string => `${file} line ${line}:`;

function faultText(faults: readonly string[]): string {
  const more = faults.length > 3 ? ` (and ${faults.length - 3} more)` : "";
  return `${faults.slice(0, 3).join("; ")}${more}; nothing was sent`;
}

function readRow(
  { cells }: SheetRow,
  reviewId: string,
  items: ReadonlyMap<string, Item>,
  asked: Asked,
): Decision | string {
  const cell = (name: string): string => cells.get(name) ?? "";
  if (cell("review") !== reviewId)
    return `it is of review ${JSON.stringify(cell("review"))}, not of ${reviewId}; apply each review by itself`;
  const item = items.get(cell("row"));
  if (item === undefined)
    return `row ${JSON.stringify(cell("row"))} is none of the review; rows cannot be added`;
  const moved = movedCell(cell, item);
  if (moved !== undefined) return moved;
  const word = cell("decision").toLowerCase();
  if (word !== "" && word !== "keep" && word !== "revoke")
    return `decision ${JSON.stringify(cell("decision"))}; expected keep, revoke or nothing`;
  const decision = {
    row: item.row,
    decision: word === "" ? null : word,
    reason: withFormula(cell("reason")),
    reviewer: withFormula(cell("reviewer")) || (asked.reviewer ?? ""),
    date: withFormula(cell("date")) || asked.date,
  } as const;
  return missing(decision, asked) ?? decision;
}

function missing({ decision, reviewer, reason }: Decision, asked: Asked): string | undefined {
  if (decision !== null && reviewer === "")
    return "a decision without a reviewer; name who decided, or add --reviewer NAME";
  if (decision === "revoke" && reason === "" && asked.isReasonNeeded)
    return "policies.require_reason demands a reason; name it in the file, or add --reason TEXT";
  return undefined;
}

// Columns that were sorted by themselves, or filled downwards, would decide on somebody else.
function movedCell(cell: (name: string) => string, item: Item): string | undefined {
  const shown = { person: item.person, right: rightText(item), way: wayText(item) };
  for (const [name, text] of Object.entries(shown))
    if (withFormula(cell(name)) !== withFormula(text.trim()))
      return `row ${item.row} has ${name} ${JSON.stringify(cell(name))}, and was exported with ${JSON.stringify(text)}; restore the row, as a CSV in UTF-8`;
  return undefined;
}
