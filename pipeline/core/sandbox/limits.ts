import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { answerDescriptor, lifeDescriptor } from "./protocol.ts";

/** What one query may use. */
export type QueryLimits = {
  /** For the whole answer, or where that is bounded by nothing else, until the next part of it comes. */
  readonly timeoutMs: number;
  /** What the person raises for more time, for example `--timeout`. */
  readonly timeoutName: string;
  readonly maxRows: number;
  /** Of the answer as it comes from the child; undefined where its reader sets the pace. */
  readonly maxBytes: number | undefined;
  /** Of the database, for example `600MB`; the process gets headroomBytes on top. */
  readonly memoryLimit: string;
  /** The key that gives it more, where that is not `memory_limit`. */
  readonly memoryName?: string | undefined;
  readonly threads?: number | undefined;
};

/** The memory of a query, and what gives it more. */
export type MemoryLimits = Pick<QueryLimits, "memoryLimit" | "memoryName">;

/** Between asking a statement to stop and killing its process. */
export const graceMs = 2000;

// Node reserves 640 MB of data before its first line runs (most of it for machine code, hardly any of it used). The
// rest is for its heap and for what the database does not count.
const reservedBytes = 640 * 1e6;
const headroomBytes = 1200 * 1e6;

/** What a process may occupy beside the memory of its database, at most. */
export const besideBytes = headroomBytes - reservedBytes;

const shell = "/bin/sh";

// No core dump, and no byte written to any file where none is to be. The processor time ends even where nobody is left
// to kill the process. No more memory is had than granted: the database's own limit does not cover all it does
// (github.com/duckdb/duckdb/issues/8398).
const limit = `{ ulimit -c 0; ulimit -f "$1"; ulimit -t "$2"; ulimit -d "$3"; } 2>/dev/null; shift 3`;

// A program that is busy does not see that its parent was killed. The watcher beside it does: what it reads from ends
// without a line. A line means that the program is over and its id no longer its own.
const watch = `(read -r over || { kill -9 $$; rmdir "$PWD"; }) <&${lifeDescriptor} ${lifeDescriptor}<&- ${answerDescriptor}>&- &`;

const script = `${limit}; ${watch} exec "$@" ${lifeDescriptor}<&-`;

/**
 * The command line that runs a program under the limits, and no longer than whoever holds the other end of
 * `lifeDescriptor` lives. Without both where there is no shell.
 */
export function confined(
  program: readonly string[],
  limits: QueryLimits,
  mayWrite: boolean,
): { readonly file: string; readonly args: readonly string[] } {
  const [file = "", ...args] = program;
  if (!existsSync(shell)) return { file, args };
  const seconds = ((limits.timeoutMs + graceMs) / 1000 + 5) * threadsOf(limits);
  const kilobytes = (bytesOf(limits.memoryLimit) + headroomBytes) / 1024;
  const numbers = [seconds, kilobytes].map((n) => String(Math.ceil(n)));
  const blocks = mayWrite ? "unlimited" : "0";
  return { file: shell, args: ["-c", script, "sh", blocks, ...numbers, ...program] };
}

/** Threads of the database: as configured, else one per processor. */
export function threadsOf({ threads }: QueryLimits): number {
  return threads ?? availableParallelism();
}

/** The bare environment of the child: no key, no home, only what its loader may need to start at all. */
export function scrubbed(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Record<string, string> {
  const kept = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]],
  );
  return { ...Object.fromEntries(kept), HOME: folder, TMPDIR: folder, TZ: "UTC" };
}

/** Bytes of a limit such as `600MB`. */
export function bytesOf(limit: string): number {
  const [, count = "0", unit] = /^(\d+)(MB|GB)$/.exec(limit) ?? [];
  return Number(count) * (unit === "GB" ? 1e9 : 1e6);
}
