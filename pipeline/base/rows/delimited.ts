import { type Options, stringify } from "csv-stringify/sync";
import { escapeControls } from "../printable.ts";
import type { Cell, Column, TextForm, TextOptions } from "./row.ts";

// All is quoted that is not plainly a word, number or time; empty text too, to differ from null.
const quoted = /^$|[^\w:.-]/;

/** CSV as RFC 4180 has it: commas, CRLF, a header line. */
export const csvForm = newDelimitedForm(",", "\r\n");

export const tsvForm = newDelimitedForm("\t", "\n");

/** CSV and its kin: text made safe for spreadsheets and for a terminal unless `raw`, numbers never touched, null empty. */
function newDelimitedForm(delimiter: string, recordDelimiter: string): TextForm {
  const chooseDelimiter = ({ separator }: TextOptions): string =>
    delimiter === "," ? (separator ?? delimiter) : delimiter;
  const buildFormat = (options: TextOptions): Options => ({
    delimiter: chooseDelimiter(options),
    record_delimiter: recordDelimiter,
    quoted_match: [quoted],
    cast: { boolean: String },
  });
  const guardText = (text: string, options: TextOptions): string => {
    if (options.raw) return text;
    const plain = withoutFormula(text, chooseDelimiter(options));
    return options.forTerminal ? escapeControls(plain) : plain;
  };
  return {
    header: (columns, options) =>
      stringify([columns.map((column) => guardText(column.name, options))], buildFormat(options)),
    rows: (rows, columns, options) => {
      const write = (cell: Cell, column: Column): Cell =>
        typeof cell === "string" && column.kind === "text" ? guardText(cell, options) : cell;
      return stringify(
        rows.map((row) => row.map((cell, index) => write(cell, columns[index]!))),
        buildFormat(options),
      );
    },
  };
}

// What a spreadsheet takes for the beginning of a formula, also behind spaces, quotes and invisible characters, which
// some of them skip.
const trigger = "=+\\-@%＝＋－＠";
const skipped = '\\p{Z}\\p{Cc}\\p{Cf}"';

// An inner line end or tab begins the next line or cell, so neither is skipped. Between two bars is an empty cell.
const inLine = `(?:(?![\\t\\r\\n])[${skipped}])*`;

// A first character that a spreadsheet takes for a formula; so is any control character in front.
const start = `^(?=\\p{Cc}|[${skipped}]*[|${trigger}])`;

// A spreadsheet splits at the list separator of its country, also inside a text that is quoted for another one.
const usualSeparators = ";,\t\r\n";

const patterns = new Map([...`${usualSeparators}|`].map((each) => [each, buildPattern()]));

/**
 * Text that a spreadsheet shows and never runs, whichever of `; , | tab` and `separator` it splits at. An apostrophe
 * goes before a formula at the start of the text and before what a separator or line end inside it begins.
 */
export function withoutFormula(text: string, separator = ","): string {
  const pattern = patterns.get(separator) ?? buildPattern(separator);
  patterns.set(separator, pattern);
  return text.replace(pattern, "'");
}

/** The text without the apostrophes that `withoutFormula` adds; equal for a text before and after it. */
export function withFormula(text: string): string {
  return text.replace(added, "");
}

const added = new RegExp(
  String.raw`(?<=^|[${usualSeparators}|])'(?=\p{Cc}|[|${skipped}${trigger}])`,
  "gu",
);

function buildPattern(separator = ";"): RegExp {
  const behind = `(?<=[${usualSeparators}]|${RegExp.escape(separator)})`;
  return new RegExp(
    `${start}|${behind}(?=${inLine}[|${trigger}])|(?<=\\|)(?=${inLine}[${trigger}])`,
    "gu",
  );
}
