import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { answerDescriptor, lifeDescriptor, type Result, type SandboxRequest } from "./protocol.ts";
import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../schemas/quote.ts";
import { openInstance } from "../../base/sql/instance.ts";
import type { HiddenSources } from "./hidden.ts";

export type QueryLimits = {
  /** Limit of the whole answer, or of the wait for its next part if the answer is otherwise unlimited. */
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

// No core dump, and no byte written to any file if none is wanted. The processor time is limited even if no process is
// left to kill it. Memory is limited as well: the database's own limit does not cover all allocations
// (github.com/duckdb/duckdb/issues/8398).
const limit = `{ ulimit -c 0; ulimit -f "$1"; ulimit -t "$2"; ulimit -d "$3"; } 2>/dev/null; shift 3`;

// A program that is busy does not see that its parent was killed. The watcher beside it does: what it reads from ends
// without a line. A line means that the program is over and its id no longer its own.
const watch = `(read -r over || { kill -9 $$; rmdir "$PWD"; }) <&${lifeDescriptor} ${lifeDescriptor}<&- ${answerDescriptor}>&- &`;

const script = `${limit}; ${watch} exec "$@" ${lifeDescriptor}<&-`;

/**
 * Builds the command line that runs a program under the limits, and ends it when the other end of `lifeDescriptor`
 * closes. Without a shell, neither applies.
 */
export function confineProgram(
  program: readonly string[],
  limits: QueryLimits,
  mayWrite: boolean,
): { readonly file: string; readonly args: readonly string[] } {
  const [file = "", ...args] = program;
  if (!existsSync(shell)) return { file, args };
  const seconds = ((limits.timeoutMs + graceMs) / 1000 + 5) * chooseThreads(limits);
  const kilobytes = (parseBytes(limits.memoryLimit) + headroomBytes) / 1024;
  const numbers = [seconds, kilobytes].map((n) => String(Math.ceil(n)));
  const blocks = mayWrite ? "unlimited" : "0";
  return { file: shell, args: ["-c", script, "sh", blocks, ...numbers, ...program] };
}

/** Threads of the database: as configured, else one per processor. */
export function chooseThreads({ threads }: QueryLimits): number {
  return threads ?? availableParallelism();
}

/** The bare environment of the child: no key, no home, only what its loader may need to start at all. */
export function scrubEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Record<string, string> {
  const kept = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]],
  );
  return { ...Object.fromEntries(kept), HOME: folder, TMPDIR: folder, TZ: "UTC" };
}

/** Bytes of a limit such as `600MB`. */
export function parseBytes(limit: string): number {
  const [, count = "0", unit] = /^(\d+)(MB|GB)$/.exec(limit) ?? [];
  return Number(count) * (unit === "GB" ? 1e9 : 1e6);
}

/** Name of the attached result database, the only writable one. */
export const givenDatabase = "given";

/**
 * Opens the published file so that a statement can access that file only, and write only what the request permits. With
 * a source the file has the name of `hidden`, and another database takes its place.
 */
export async function openLocked(
  request: SandboxRequest,
  hidden?: HiddenSources,
): Promise<DuckDBConnection> {
  const instance = await openInstance(hidden ? ":memory:" : request.database, {
    ...(hidden ? {} : { access_mode: "READ_ONLY" }),
    threads: String(request.threads),
    memory_limit: request.memoryLimit,
    // Without a folder to spill to, want of memory is reported as such.
    temp_directory: request.spill ?? "",
    ...(request.spill === undefined ? { max_temp_directory_size: "0KB" } : {}),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_unsigned_extensions: "false",
    allow_persistent_secrets: "false",
  });
  const connection = await instance.connect();
  const first = hidden === undefined ? [] : listPathsBehind(request.database, hidden);
  for (const statement of [...first, ...lockDown(request)]) await connection.run(statement);
  return connection;
}

// What the database notes of values shows the least and greatest ones, also of rows that a view leaves out.
function listPathsBehind(database: string, { file, inPlace }: HiddenSources): string[] {
  return [
    `attach ${quoteText(database)} as ${file} (read_only, hidden true)`,
    `attach ':memory:' as ${quoteName(inPlace)}`,
    `use ${file}`,
    "set disabled_optimizers = 'statistics_propagation'",
  ];
}

// The order matters: files are opened and allowed first. File systems can be closed only while settings can be changed,
// and closing them first would block the setting of external access (seen with DuckDB 1.5.6). Open files stay
// accessible.
function lockDown({ result, spill }: SandboxRequest): string[] {
  const { parquet, table } = getResultFile(result);
  const needsFiles = spill !== undefined || typeof result === "object";
  return [
    "set TimeZone = 'UTC'",
    ...(parquet === undefined ? [] : [`set allowed_paths = [${quoteText(parquet)}]`]),
    ...(table === undefined
      ? []
      : [`attach ${quoteText(table)} as ${givenDatabase} (read_write, storage_version 'v1.5.0')`]),
    // Without the optimizer, binding finds all faults and executes nothing early.
    ...(result === "nothing" ? ["pragma disable_optimizer"] : []),
    "set enable_external_access = false",
    ...(needsFiles ? [] : ["set disabled_filesystems = 'LocalFileSystem'"]),
    "set lock_configuration = true",
  ];
}

function getResultFile(result: Result): { readonly parquet?: string; readonly table?: string } {
  return typeof result === "object" ? result : {};
}
