import { denialKinds } from "../../../base/html/signs.ts";
import type { FilterColumn } from "../../../answers/events/filters.ts";

export const columnTitles: Readonly<Record<FilterColumn, string>> = {
  outcome: "Outcome",
  kind: "Denial kind",
  event: "Event",
  person: "Person",
  address: "Address",
  area: "Area",
  database: "Database",
};

const areas: Readonly<Record<string, string>> = {
  "Permission denial records for column visibility": "Column visibility",
};

/** The text that pages show for a value of a column. */
export function describeValue(column: FilterColumn, value: string): string {
  if (value === "none") return column === "kind" ? "No denial" : "not recorded";
  if (column === "kind") return denialKinds[value] ?? value;
  if (column === "area") return areas[value] ?? value;
  return value;
}
