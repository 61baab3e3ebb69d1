import { stringify, type Options } from "csv-stringify/sync";
import { printable } from "../printable.ts";
import { withoutFormula } from "./formula.ts";
import type { Cell, Column } from "./row.ts";
import type { TextForm, TextOptions } from "./text-form.ts";

// All is quoted that is not plainly a word, number or time; empty text too, to differ from null.
const quoted = /^$|[^\w:.-]/;

/** CSV as RFC 4180 has it: commas, CRLF, a header line. */
export const csvForm = delimited(",", "\r\n");

export const tsvForm = delimited("\t", "\n");

/** CSV and its kin: text made safe for spreadsheets and for a terminal unless `raw`, numbers never touched, null empty. */
function delimited(delimiter: string, recordDelimiter: string): TextForm {
  const between = ({ separator }: TextOptions): string =>
    delimiter === "," ? (separator ?? delimiter) : delimiter;
  const formatOf = (options: TextOptions): Options => ({
    delimiter: between(options),
    record_delimiter: recordDelimiter,
    quoted_match: [quoted],
    cast: { boolean: String },
  });
  const safe = (text: string, options: TextOptions): string => {
    if (options.raw) return text;
    const plain = withoutFormula(text, between(options));
    return options.forTerminal ? printable(plain) : plain;
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
