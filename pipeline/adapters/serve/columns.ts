import type { TableColumn } from "../../base/html/columns.ts";
import { html } from "../../base/html/markup.ts";

// Columns of the tables of pages; a time is text in ISO 8601.

export function textOf(name: string, title: string, more: Partial<TableColumn> = {}): TableColumn {
  return { name, type: "VARCHAR", kind: "text", title, ...more };
}

export function timeOf(name: string, title: string, more: Partial<TableColumn> = {}): TableColumn {
  return { name, type: "TIMESTAMP", kind: "time", title, ...more };
}

/** A column of counts, or of sizes where its name is `bytes`. */
export function numberOf(
  name: string,
  title: string,
  more: Partial<TableColumn> = {},
): TableColumn {
  return { name, type: "BIGINT", kind: "number", title, ...more };
}

/** A time as a cell of such a column; null where it is unknown. */
export function cellOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Builds a column behind "All columns" that marks rows. */
export function flagOf(name: string, title: string): TableColumn {
  const write: NonNullable<TableColumn["write"]> = (cell) => html`${cell === true ? "yes" : "no"}`;
  return { name, type: "BOOLEAN", kind: "boolean", title, isHidden: true, write };
}
