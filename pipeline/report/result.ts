import type { Column, Row, Rows } from "../rows/row.ts";
import type { TextOptions } from "../rows/text-form.ts";

export type RenderOptions = TextOptions & {
  /** Table: width of the terminal in columns, default 80. */
  readonly columns?: number | undefined;
  /** Table: text is not cut below this many columns, default 6. */
  readonly narrowest?: number | undefined;
  /** Table: is told the columns at the end that do not fit; without it all are drawn, fit or not. */
  readonly leftOut?: ((names: readonly string[]) => void) | undefined;
};

/** No terminal obeys a file or bounds a table in it: no column is left out, and text keeps a readable width. */
export const inFile: RenderOptions = {
  forTerminal: false,
  columns: 200,
  narrowest: 40,
  leftOut: undefined,
};

/** Turns a result into pieces of text; one file per format implements it. */
export type Render = (result: Rows, options: RenderOptions) => AsyncIterable<string>;

/** A result of text columns that is in memory already, for listings. */
export function textResult(names: readonly string[], rows: readonly Row[]): Rows {
  const columns = names.map((name): Column => ({ name, type: "VARCHAR", kind: "text" }));
  return { columns, batches: batchesOf(rows) };
}

async function* batchesOf(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  if (rows.length > 0) yield await Promise.resolve(rows);
}
