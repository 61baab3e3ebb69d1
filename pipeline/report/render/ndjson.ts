import { jsonObject, jsonText } from "../json-text.ts";
import type { Column, Render, Row } from "../result.ts";

/** One JSON object per line. */
export const renderNdjson: Render = async function* (result) {
  for await (const batch of result.batches)
    yield batch.map((row) => `${rowObject(row, result.columns)}\n`).join("");
};

/** A row as a JSON object under the names of its columns. */
export function rowObject(row: Row, columns: readonly Column[]): string {
  return jsonObject(
    columns.map((column, index) => [column.name, jsonText(row[index] ?? null, column.kind)]),
  );
}
