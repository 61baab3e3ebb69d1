import type { ExitCode } from "./errors.ts";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";

/** A notice as data; `base/notice` has the codes, their facts and the sentences. */
export type PlainNotice = {
  readonly code: string;
  readonly level: "error" | "warning";
  readonly facts: object;
  /** The command that helps, as its words after the name of the program. */
  readonly command?: readonly string[];
  /** What the command line ends with because of it, unless it comes to a code of its own. */
  readonly exitCode?: ExitCode;
};

/** Clock, randomness, streams and signals as one argument, so that tests bring their own. */
export type World = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after the time, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Takes each notice beside standard error. */
  readonly noticed?: (notice: PlainNotice) => void;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
};

/** The real world of this process. */
export function newRealWorld(signal: AbortSignal): World {
  return {
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    sleep: (ms, abort) => wait(ms, undefined, abort ? { signal: abort } : {}),
    random: Math.random,
    signal,
  };
}

/**
 * Width for text on standard output: `COLUMNS` if it is set, else that of the terminal; unbounded without a terminal.
 */
export function countTerminalColumns({ env, stdout }: World): number {
  const wanted = Number(env["COLUMNS"]);
  // Some programs that are not terminals report a width of 0.
  if (Number.isInteger(wanted) && wanted > 0) return wanted;
  return stdout.isTTY === true ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

/** Width for running text: that of the terminal, else 80. */
export function countProseColumns(world: World): number {
  const columns = countTerminalColumns(world);
  return Number.isFinite(columns) ? columns : 80;
}
