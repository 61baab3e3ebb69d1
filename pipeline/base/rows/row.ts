/** One value of a row: plain, ready to be written. Exact decimals and times are text already. */
export type Cell = null | boolean | number | bigint | string;

/** What a column holds, as far as writing it is concerned; exact decimals are text of kind `number`. */
export type ColumnKind = "text" | "number" | "boolean" | "time";

export type Column = {
  readonly name: string;
  /** The type as the database names it, for example `DECIMAL(10,2)`. */
  readonly type: string;
  readonly kind: ColumnKind;
  /** A table never cuts it: a name that people type, or a title that they scan. */
  readonly isTyped?: boolean;
};

export function textColumn(name: string): Column {
  return { name, type: "VARCHAR", kind: "text" };
}

export type Row = readonly Cell[];

/** Rows in batches, each read once, so that a million of them never lie in memory at once. */
export type Rows = {
  readonly columns: readonly Column[];
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Reads the same rows again, if they are stored. */
  readonly again?: () => Promise<Rows>;
};

/** Rows that were read to their end. */
export type RowList = { readonly columns: readonly Column[]; readonly rows: readonly Row[] };

/** A time that the log of a source does not cover; null for an open side. */
export type Unread = {
  readonly source: string;
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  /** True if it was read and a prune deleted its events: rights continue unchanged. */
  readonly isPruned: boolean;
};

/** How far the published data reaches. */
export type Reach = {
  /** The time up to which a service was read; null if none was. */
  readonly upToMs: number | null;
  /** True where no event was ever loaded: then no rows mean nothing. */
  readonly isEmpty: boolean;
  readonly unread: readonly Unread[];
  /** Notes on unknown rights at the requested moments, one per line. */
  readonly unknownRights?: readonly string[];
};

/** The most rows to give out. */
export type RowLimit = number | "all";

/** Number of rows that were written, and their total; undefined without a count. */
export type RowCount = { readonly shown: number; readonly total: number | undefined };

/** What is known of the number of rows where the database stopped at the limit. */
export function newRowCount(shown: number, limit: RowLimit): RowCount {
  return { shown, total: limit === "all" || shown < limit ? shown : undefined };
}

/** A result cut to a number of rows; the rest is read too, so that `total` can say how many there were. */
export function limitRows(
  { columns, batches }: Rows,
  limit: RowLimit,
): { readonly result: Rows; readonly total: () => number } {
  let total = 0;
  const most = limit === "all" ? Infinity : limit;
  const readFirstRows = async function* (): AsyncGenerator<readonly Row[]> {
    for await (const batch of batches) {
      const remaining = most - total;
      total += batch.length;
      if (remaining > 0) yield remaining < batch.length ? batch.slice(0, remaining) : batch;
    }
  };
  return { result: { columns, batches: readFirstRows() }, total: () => total };
}

export type TextOptions = {
  /** CSV and TSV: write text without changes, unsafe to open in a spreadsheet. */
  readonly raw?: boolean | undefined;
  /** CSV and TSV: written to a terminal, which shows text and must not obey it; nothing under `raw`. */
  readonly forTerminal?: boolean | undefined;
  /** CSV, TSV and tables: false leaves the names of the columns out. */
  readonly header?: boolean | undefined;
  /** CSV: the character between cells, a comma unless it is given. */
  readonly separator?: string | undefined;
};

/** A form of text files that consist of a header and rows. */
export type TextForm = {
  readonly header: (columns: readonly Column[], options: TextOptions) => string;
  readonly rows: (rows: readonly Row[], columns: readonly Column[], options: TextOptions) => string;
};
