import type { ChartForm } from "../../base/report/chart-form.ts";
import type { Column, Row, Rows, TextOptions } from "../../base/rows/row.ts";
import { once } from "node:events";
import type { Facts } from "../../base/sql/facts.ts";

/** What a result answers, for the formats that show it. */
export type About = {
  readonly title: string;
  /** Lines below the title: the parameters and the data. */
  readonly facts: readonly string[];
  readonly chart: ChartForm | undefined;
  /** Whether a day is known in part only: a chart compares it with nothing. */
  readonly isPartDay?: (x: string) => boolean;
  /** The last day of the range that has data, `2026-11-27`. */
  readonly lastDay?: string;
};

export type RenderOptions = TextOptions & {
  /** HTML and SVG: the question and its chart. */
  readonly about?: About | undefined;
  /** Table: width of the terminal in columns, default 80; infinite where nothing bounds it. */
  readonly columns?: number | undefined;
  /** Table: columns are left out rather than long text cut below this many columns, default 6. */
  readonly narrowest?: number | undefined;
  /** Table: text that is wider than its column continues on the next line. */
  readonly isWrapped?: boolean | undefined;
  /** Table: called with the columns that do not fit; without it all are drawn. */
  readonly leftOut?: ((names: readonly string[]) => void) | undefined;
  /** Table: called where rows are written as lines, since fewer than a third of the columns fit; without it never. */
  readonly asLines?: (() => void) | undefined;
};

/** In a file nothing is escaped for a terminal, and no table is cut to a width. */
export const inFile: RenderOptions = {
  forTerminal: false,
  columns: Number.POSITIVE_INFINITY,
  leftOut: undefined,
  asLines: undefined,
};

/** Turns a result into pieces of text; one file per format implements it. */
export type Render = (result: Rows, options: RenderOptions) => AsyncIterable<string>;

/** Builds a result of text columns in memory, for listings; the first column names the listed things. */
export function newTextResult(names: readonly string[], rows: readonly Row[]): Rows {
  const columns = names.map((name, i): Column => ({
    name,
    type: "VARCHAR",
    kind: "text",
    isTyped: i === 0,
  }));
  return { columns, batches: readBatches(rows) };
}

async function* readBatches(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  if (rows.length > 0) yield await Promise.resolve(rows);
}

/** Takes text; resolves when more can be taken. */
export type Sink = (text: string) => Promise<void>;

/** A sink on a stream that waits while the reader is slow; rejects when the signal aborts. */
export function newStreamSink(stream: NodeJS.WritableStream, signal?: AbortSignal): Sink {
  return async (text) => {
    if (!stream.write(text)) await once(stream, "drain", signal ? { signal } : {});
  };
}

// Times are never cut to fit the width, text is.
const time = /^\d{4}-\d\d-\d\d[ T]\d\d:/;

/** Builds a result from facts; numbers are aligned to the right. */
export function newFactsTable(facts: readonly Facts[]): Rows {
  const names = Object.keys(facts[0] ?? {});
  const rows = facts.map((fact): Row => names.map((name) => fact[name] ?? null));
  const result = newTextResult(names, rows);
  const classifyColumn = (i: number): Column["kind"] => {
    const cells = rows.map((row) => row[i]).filter((cell) => cell !== null);
    if (cells.some((cell) => typeof cell === "number")) return "number";
    return cells.length > 0 && cells.every((cell) => time.test(String(cell))) ? "time" : "text";
  };
  return {
    ...result,
    columns: result.columns.map((column, i) => ({ ...column, kind: classifyColumn(i) })),
  };
}

const rowsShown = 20;

/** Limits a list of facts, with a title that gives the number. */
export function takeFirst(
  title: string,
  facts: readonly Facts[],
): { title: string; facts: Facts[] } {
  const more = facts.length > rowsShown ? ` (first ${rowsShown} of ${facts.length})` : "";
  return { title: `${title}${more}`, facts: facts.slice(0, rowsShown) };
}
