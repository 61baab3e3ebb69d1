import type { Column, Row } from "./row.ts";

export type TextOptions = {
  /** CSV and TSV: write text as it is, unsafe to open in a spreadsheet. */
  readonly raw?: boolean | undefined;
  /** CSV and TSV: written to a terminal, which shows text and must not obey it; nothing under `raw`. */
  readonly forTerminal?: boolean | undefined;
  /** CSV, TSV and tables: false leaves the names of the columns out. */
  readonly header?: boolean | undefined;
  /** CSV: the character between cells, a comma unless it is given. */
  readonly separator?: string | undefined;
};

/** A form of text files that is made of what stands in front and of rows, one after the other. */
export type TextForm = {
  readonly header: (columns: readonly Column[], options: TextOptions) => string;
  readonly rows: (rows: readonly Row[], columns: readonly Column[], options: TextOptions) => string;
};
