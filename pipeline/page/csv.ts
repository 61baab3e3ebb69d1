import { parse as parseCsv } from "csv-parse/sync";
import { messageOf } from "../errors.ts";
import { PageError } from "./error.ts";

/** CSV rows as JSON lines; empty cells are absent, everything else stays text. */
export function csvToLines(bytes: Buffer): Buffer {
  try {
    const rows = parseCsv(bytes, { columns: true, bom: true, skip_empty_lines: true }) as Record<
      string,
      string
    >[];
    return Buffer.from(rows.map((row) => `${JSON.stringify(row, dropEmpty)}\n`).join(""));
  } catch (error) {
    throw new PageError(`the CSV is cut off or malformed: ${messageOf(error).split("\n")[0]}`);
  }
}

function dropEmpty(_key: string, value: unknown): unknown {
  return value === "" ? undefined : value;
}
