import { stringify, type Options } from "csv-stringify/sync";
import { withoutFormula } from "../formula.ts";
import type { Cell, Column, Render } from "../result.ts";

// Quoted is all that is not plainly a word, number or time, so that a spreadsheet which splits at
// semicolons or tabs still sees one field; and empty text, to tell it from null.
const quoted = /^$|[^\w:.-]/;

/** CSV and its kin: text made safe for spreadsheets unless `raw`, numbers never touched, null empty. */
export function delimited(delimiter: string, recordDelimiter: string): Render {
  const format: Options = {
    delimiter,
    record_delimiter: recordDelimiter,
    quoted_match: [quoted],
    cast: { boolean: String },
  };
  return async function* (result, { raw = false }) {
    const safe = raw ? (text: string) => text : withoutFormula;
    yield stringify([result.columns.map((column) => safe(column.name))], format);
    const write = (cell: Cell, column: Column): Cell =>
      typeof cell === "string" && column.kind === "text" ? safe(cell) : cell;
    for await (const batch of result.batches)
      yield stringify(
        batch.map((row) => row.map((cell, index) => write(cell, result.columns[index]!))),
        format,
      );
  };
}
