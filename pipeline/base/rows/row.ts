/** One value of a row: plain, ready to be written. Exact decimals and times are text already. */
export type Cell = null | boolean | number | bigint | string;

/** What a column holds, as far as writing it is concerned; exact decimals are text of kind `number`. */
export type ColumnKind = "text" | "number" | "boolean" | "time";

export type Column = {
  readonly name: string;
  /** The type as the database names it, for example `DECIMAL(10,2)`. */
  readonly type: string;
  readonly kind: ColumnKind;
  /** Names what people type: a table cuts it last. */
  readonly isTyped?: boolean;
};

export type Row = readonly Cell[];

/** Rows in batches, each read once, so that a million of them never lie in memory at once. */
export type Rows = {
  readonly columns: readonly Column[];
  readonly batches: AsyncIterable<readonly Row[]>;
  /** The same rows once more, where they lie somewhere. */
  readonly again?: () => Promise<Rows>;
};
