import { stringify, type Options } from "csv-stringify/sync";
import { printable } from "../printable.ts";
import { withoutFormula } from "./formula.ts";
import type { Cell, Column } from "./row.ts";
import type { TextForm, TextOptions } from "./text-form.ts";

// All is quoted that is not plainly a word, number or time. A spreadsheet that splits at semicolons or tabs then still
// sees one field. Empty text is quoted too, to differ from null.
const quoted = /^$|[^\w:.-]/;

/** CSV as RFC 4180 has it: commas, CRLF, a header line. */
export const csvForm = delimited(",", "\r\n");

export const tsvForm = delimited("\t", "\n");

/** CSV and its kin: text made safe for spreadsheets and for a terminal unless `raw`, numbers never touched, null empty. */
function delimited(delimiter: string, recordDelimiter: string): TextForm {
  const formatOf = ({ separator }: TextOptions): Options => ({
    delimiter: delimiter === "," ? (separator ?? delimiter) : delimiter,
    record_delimiter: recordDelimiter,
    quoted_match: [quoted],
    cast: { boolean: String },
  });
  const safe = (text: string, { raw, forTerminal }: TextOptions): string => {
    if (raw) return text;
    return forTerminal ? printable(withoutFormula(text)) : withoutFormula(text);
  };
  return {
    header: (columns, options) =>
      stringify([columns.map((column) => safe(column.name, options))], formatOf(options)),
    rows: (rows, columns, options) => {
      const write = (cell: Cell, column: Column): Cell =>
        typeof cell === "string" && column.kind === "text" ? safe(cell, options) : cell;
      return stringify(
        rows.map((row) => row.map((cell, index) => write(cell, columns[index]!))),
        formatOf(options),
      );
    },
  };
}
