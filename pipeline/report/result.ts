/** One value of a result: plain, ready to be written. DECIMAL and times are text already. */
export type Cell = null | boolean | number | bigint | string;

/** What a column holds, as far as writing it is concerned; exact decimals are text of kind `number`. */
export type ColumnKind = "text" | "number" | "boolean" | "time";

export type Column = {
  readonly name: string;
  /** The type as the database names it, for example `DECIMAL(10,2)`. */
  readonly type: string;
  readonly kind: ColumnKind;
};

export type Row = readonly Cell[];

/** Rows in batches, so that a million of them never lie in memory at once. */
export type ResultSet = {
  readonly columns: readonly Column[];
  readonly batches: AsyncIterable<readonly Row[]>;
};

export type RenderOptions = {
  /** CSV and TSV: write text as it is, unsafe to open in a spreadsheet. */
  readonly raw?: boolean | undefined;
  /** Table: width of the terminal in columns, default 80. */
  readonly columns?: number | undefined;
  /** Table: text is not cut below this many columns, default 6. */
  readonly narrowest?: number | undefined;
  /** Table: is told the columns at the end that do not fit; without it all are drawn, fit or not. */
  readonly leftOut?: ((names: readonly string[]) => void) | undefined;
};

/** Nobody's terminal bounds a table in a file: no column is left out, and text keeps a readable width. */
export const tableInFile: RenderOptions = { columns: 200, narrowest: 40, leftOut: undefined };

/** Turns a result into pieces of text; one file per format implements it. */
export type Render = (result: ResultSet, options: RenderOptions) => AsyncIterable<string>;

/** A result of text columns that is in memory already, for listings. */
export function textResult(names: readonly string[], rows: readonly Row[]): ResultSet {
  const columns = names.map((name): Column => ({ name, type: "VARCHAR", kind: "text" }));
  return { columns, batches: batchesOf(rows) };
}

async function* batchesOf(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  if (rows.length > 0) yield await Promise.resolve(rows);
}
