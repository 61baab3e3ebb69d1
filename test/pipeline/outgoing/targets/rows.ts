import type { Column, Row, Rows } from "../../../../pipeline/base/rows/row.ts";

/** Columns of text by their names, others as given. */
export function listColumns(columns: readonly (string | Column)[]): Column[] {
  return columns.map((column) =>
    typeof column === "string" ? { name: column, type: "VARCHAR", kind: "text" } : column,
  );
}

/** Rows in batches of the given size. */
export function listRows(
  columns: readonly (string | Column)[],
  rows: readonly Row[],
  size = 30,
): Rows {
  const batches = async function* (): AsyncGenerator<readonly Row[]> {
    for (let at = 0; at < rows.length; at += size)
      yield await Promise.resolve(rows.slice(at, at + size));
  };
  return { columns: listColumns(columns), batches: batches() };
}
