import type { Reach } from "../../base/rows/row.ts";
import type { Question } from "../../base/sql/question.ts";

// Protocol between the parent and the confined child. The parent writes one request line to the child's stdin, later
// perhaps `interrupt`. The child answers on file descriptor 3, one JSON value per line: the columns, then an array per
// row, then the end. The child's stdout is never read: settings and functions of the database can write to it.

/** Descriptor of the child that carries the answer. */
export const answerDescriptor = 3;

/** Descriptor that the child's shell reads. A line means that the child is over, its end that the parent is. */
export const lifeDescriptor = 4;

export const interruptLine = "interrupt";

/**
 * Use of the rows: `rows` returns them, `plan` returns the plan of the statement, `nothing` only compiles it. A file
 * gets them as Parquet, or as the table `rows` of a database.
 */
export type Result =
  | "rows"
  | "plan"
  | "nothing"
  | { readonly parquet: string; readonly limit: number | "all" }
  | { readonly table: string };

export type SandboxRequest = Question & {
  readonly database: string;
  readonly result: Result;
  /** A report takes parameter values, and its answer includes how far the data goes. */
  readonly isReport: boolean;
  /** Folder for what does not fit into memory; without one, want of memory is reported. */
  readonly spill: string | undefined;
  /** The one source whose rows it sees; undefined for all. */
  readonly source: string | undefined;
  readonly maxRows: number;
  readonly memoryLimit: string;
  readonly threads: number;
};

/** A value as it travels: 64-bit integers, decimals and numbers that JSON has no form for (NaN, -0) as text. */
export type Cell = string | number | boolean | null;
export type Row = readonly Cell[];

export const columnKinds = ["text", "number", "boolean", "time"] as const;

/** A column of a result; the type as the database writes it, for example `BIGINT`. */
export type ResultColumn = {
  readonly name: string;
  readonly type: string;
  readonly kind: (typeof columnKinds)[number];
};

/**
 * How far a statement had come when it failed. `open` means that the file could not be opened, `gate` that the
 * statement is refused and was not run. `prepare` means that the database did not accept it, `run` that it failed on
 * the way.
 */
export type Stage = "open" | "gate" | "prepare" | "run";

export type SandboxMessage =
  | { readonly columns: readonly ResultColumn[]; readonly reach?: Reach | undefined }
  | { readonly end: { readonly rows: number; readonly more: boolean } }
  | { readonly error: { readonly stage: Stage; readonly text: string } };
