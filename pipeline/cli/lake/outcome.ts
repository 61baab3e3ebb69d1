import type { Outcome } from "../../adapters/lake/publish.ts";
import type { PublishedTable } from "../../adapters/lake/publisher.ts";
import { formatBytes, countText, formatCount } from "../../base/terminal/amounts.ts";

// Whether anything of a table was, or would be, written or taken out.
function isTouched({ written, gone }: PublishedTable): boolean {
  return written.length + gone.length > 0;
}

export function formatPublished({ tables, publication, isChanged }: Outcome): string {
  if (!isChanged) return `lake: nothing changed, publication ${publication}`;
  const files = tables.flatMap((table) => table.files);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const touched = tables.filter(isTouched).length;
  return `lake: publication ${publication}, ${formatCount(touched, "table")} changed, ${formatCount(files.length, "file")} with ${countText(rows)} rows written (${formatBytes(bytes)})`;
}

export function planText({ tables }: Outcome): string {
  const lines = tables
    .filter(isTouched)
    .map((table) => `${table.table}: ${formatChanges(table)}\n`);
  return lines.join("") || "nothing to publish to the lake\n";
}

function formatChanges({ written, gone }: PublishedTable): string {
  const parts = [
    written.length > 0 ? formatParts(written) : [],
    gone.length > 0 ? `removed ${formatParts(gone)}` : [],
  ];
  return parts.flat().join(", ");
}

// The empty text means a table that is stored whole.
function formatParts(days: readonly string[]): string {
  if (days[0] === "") return "the complete table";
  const range = days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0];
  return `${formatCount(days.length, "day")}, ${range}`;
}
