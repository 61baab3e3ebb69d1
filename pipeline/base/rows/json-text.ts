import type { Cell, Column, ColumnKind, Row, TextForm } from "./row.ts";
import { escapeJsonControls } from "../printable.ts";

/**
 * One cell as JSON. Integers and decimals keep every digit as JSON numbers, also beyond 2^53; what
 * JSON has no number for (NaN, Infinity) becomes text.
 */
export function writeJsonCell(cell: Cell, kind: ColumnKind): string {
  if (typeof cell === "string") return kind === "number" ? cell : JSON.stringify(cell);
  if (typeof cell === "number" && !Number.isFinite(cell)) return `"${cell}"`;
  return String(cell);
}

/** A JSON object from names and values that are JSON text already. */
export function writeJsonObject(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** Parses JSON; undefined if invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One JSON object per line. */
export const ndjsonForm: TextForm = {
  header: () => "",
  rows: (rows, columns) => rows.map((row) => `${writeRowObject(row, columns)}\n`).join(""),
};

/** A row as a JSON object under the names of its columns, safe to look at in a terminal. */
export function writeRowObject(row: Row, columns: readonly Column[]): string {
  return escapeJsonControls(
    writeJsonObject(
      columns.map((column, index) => [column.name, writeJsonCell(row[index] ?? null, column.kind)]),
    ),
  );
}
