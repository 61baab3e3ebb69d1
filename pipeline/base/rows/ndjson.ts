import { printableJson } from "../printable.ts";
import { jsonObject, jsonText } from "./json-text.ts";
import type { Column, Row } from "./row.ts";
import type { TextForm } from "./text-form.ts";

/** One JSON object per line. */
export const ndjsonForm: TextForm = {
  header: () => "",
  rows: (rows, columns) => rows.map((row) => `${rowObject(row, columns)}\n`).join(""),
};

/** A row as a JSON object under the names of its columns, safe to look at in a terminal. */
export function rowObject(row: Row, columns: readonly Column[]): string {
  return printableJson(
    jsonObject(
      columns.map((column, index) => [column.name, jsonText(row[index] ?? null, column.kind)]),
    ),
  );
}
