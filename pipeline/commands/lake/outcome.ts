import type { Outcome } from "../../lake/publish.ts";
import type { Published } from "../../lake/publisher.ts";
import { bytesText, countText, plural } from "../../terminal/amounts.ts";

/** Whether anything of a table was, or would be, written or taken out. */
export function isTouched({ written, gone }: Published): boolean {
  return written.length + gone.length > 0;
}

/** What a publish came to, in one line. */
export function publishedText({ tables, publication, isChanged }: Outcome): string {
  if (!isChanged) return `lake: nothing changed, publication ${publication}`;
  const files = tables.flatMap((table) => table.files);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const touched = tables.filter(isTouched).length;
  return `lake: publication ${publication}, ${plural(touched, "table")} changed, ${plural(files.length, "file")} with ${countText(rows)} rows put there (${bytesText(bytes)})`;
}
