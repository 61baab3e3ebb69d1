import type { FilterColumn } from "../../../answers/events/filters.ts";

/** Headings of the columns by which a search filters. */
export const columnTitles: Readonly<Record<FilterColumn, string>> = {
  outcome: "Outcome",
  kind: "Denial kind",
  event: "Event",
  person: "Person",
  address: "Address",
  area: "Area",
  database: "Database",
};

const kinds: Readonly<Record<string, string>> = {
  column_visibility_denial: "Hidden column",
  failed_sign_in: "Failed sign-in",
  unauthorized_action: "Not permitted",
  folder_permission_denial: "Folder",
  failed_result_export: "Export failed",
  denied_job_result_download: "Download refused",
};

const areas: Readonly<Record<string, string>> = {
  "Permission denial records for column visibility": "Column visibility",
};

/** The text that pages show for a value of a column. */
export function describeValue(column: FilterColumn, value: string): string {
  if (value === "none") return column === "kind" ? "No denial" : "not recorded";
  if (column === "kind") return kinds[value] ?? value;
  if (column === "area") return areas[value] ?? value;
  return value;
}
