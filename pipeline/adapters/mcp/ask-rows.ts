import type { Question } from "../../base/sql/question.ts";
import type { Cell, Reach, Rows } from "../../base/rows/row.ts";
import { askStatement } from "../../answers/ask/statement.ts";
import type { Desk } from "./desk.ts";
import { unreadWithin } from "../../answers/report/unread.ts";

type Shown = string | number | boolean | null;

/** The rows of an answer as they go out; `truncation` says why there are not more. */
export type AnswerRows = {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Shown[])[];
  readonly truncation: "rows" | "bytes" | undefined;
  /** How far the data reaches; only of a report. */
  readonly reach: Reach | undefined;
  /** What was not read of the range that is asked about, a line each. */
  readonly unread: readonly string[];
};

/** A question, and whether it is a report, which takes parameters. */
export type Asked = Question & { readonly isReport: boolean };

// A text of a record can be a megabyte.
const cellCharacters = 2000;
// Of what the process sends; what goes out of it is less.
const sentBytes = 64e6;

/**
 * Asks in a process of its own, which reads the published file and nothing else; the signal ends it. Throws
 * AuditlakeError without the values of records.
 */
export async function askRows(
  { settings, world, limits, queue }: Desk,
  asked: Asked,
  gone: AbortSignal,
): Promise<AnswerRows> {
  const bounds = {
    timeoutMs: limits.timeoutMs,
    timeoutName: "--timeout of auditlake mcp",
    maxRows: limits.maxRows,
    maxBytes: sentBytes,
  };
  const signal = AbortSignal.any([gone, world.signal]);
  return queue(async () => {
    await using answer = await askStatement(asked, bounds, settings, { ...world, signal });
    const { rows, isFull } = await taken(answer, limits.maxBytes);
    const columns = answer.columns.map(({ name }) => name);
    const truncation = isFull ? "bytes" : answer.truncation();
    const { reach } = answer;
    const unread = reach === undefined ? [] : unreadWithin(reach, [asked.values]);
    return { columns, rows, truncation, reach, unread };
  });
}

async function taken(
  { batches }: Rows,
  maxBytes: number,
): Promise<{ rows: (readonly Shown[])[]; isFull: boolean }> {
  const rows: (readonly Shown[])[] = [];
  let bytes = 0;
  for await (const batch of batches)
    for (const row of batch) {
      const shown = row.map(shownCell);
      bytes += Buffer.byteLength(JSON.stringify(shown));
      if (bytes > maxBytes) return { rows, isFull: true };
      rows.push(shown);
    }
  return { rows, isFull: false };
}

function shownCell(cell: Cell): Shown {
  if (typeof cell === "bigint")
    return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  if (typeof cell === "number" && !Number.isFinite(cell)) return String(cell);
  if (typeof cell !== "string" || cell.length <= cellCharacters) return cell;
  return `${cell.slice(0, cellCharacters)}… (${cell.length - cellCharacters} characters more)`;
}
