// What the parent and the confined child say to each other. The parent writes one request line to the
// child's stdin, later perhaps `interrupt`; the child answers on file descriptor 3, one JSON value per
// line: the columns, then an array per row, then how it ended. The child's stdout is never read: settings
// and functions of the database can write to it.

/** Descriptor of the child that carries the answer. */
export const answerDescriptor = 3;

/** Descriptor on which the child's shell is told, by a line, that the child is over, or by its end that the parent is. */
export const lifeDescriptor = 4;

export const interruptLine = "interrupt";

export type SandboxRequest = {
  readonly database: string;
  readonly sql: string;
  /** Show the plan of the statement instead of running it. */
  readonly explain: boolean;
  readonly maxRows: number;
  readonly memoryLimit: string;
  readonly threads: number;
};

/** A value as it travels: integers beyond 2^53, decimals and numbers that are none (NaN) as text. */
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
 * How far a statement had come when it failed: `open` means that the file could not be opened, `gate`
 * that the statement is refused and was not run, `prepare` that the database did not accept it, `run`
 * that it failed on the way.
 */
export type Stage = "open" | "gate" | "prepare" | "run";

export type SandboxMessage =
  | { readonly columns: readonly ResultColumn[] }
  | { readonly end: { readonly rows: number; readonly more: boolean } }
  | { readonly error: { readonly stage: Stage; readonly text: string } };
