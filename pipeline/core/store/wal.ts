import { warning } from "../../base/notice/notice.ts";
import { type Print } from "../../base/notice/printer.ts";
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { nameStamp } from "../../base/time/text.ts";
import { isReplay } from "./fault.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { getEntryPath } from "../../base/home/assets.ts";

// Rules for the write-ahead log (WAL) of a database. A WAL that does not replay prevents opening
// (github.com/duckdb/duckdb/issues/19712); a WAL with a damaged beginning is silently skipped and overwritten (seen
// with DuckDB 1.5.6). Both are renamed, never deleted. The database resumes from its last checkpoint, and later reads
// are loaded again from landing; that works because the ledger is in the same file.

/** The moment that a backup is named by, and who prints where it is. */
export type Printing = { readonly nowMs: number; readonly print: Print };

const goesOn =
  "the database continues from its last checkpoint, and the next ingest loads the stored reads that are missing";

/**
 * Opens a database by `open`, renaming a write-ahead log that cannot be used; `close` undoes an opening. A log is
 * tried in another process first, by `options`.
 */
export async function withoutBadWal<T>(
  path: string,
  options: Readonly<Record<string, string>>,
  printing: Printing,
  open: () => Promise<T>,
  close: (opened: T) => Promise<void>,
): Promise<T> {
  const wal = `${path}.wal`;
  if (existsSync(wal) && !isForeign(wal)) {
    const fault = await tryReplay(path, options);
    if (fault !== undefined) backUpWal(path, printing, `${fault}; ${goesOn}`);
  }
  let opened: T;
  try {
    opened = await open();
  } catch (error) {
    if (!isReplay(error) || !existsSync(wal)) throw error;
    backUpWal(path, printing, `could not be replayed; ${goesOn}`);
    return await open();
  }
  if (!isForeign(wal)) return opened;
  await close(opened);
  backUpWal(path, printing, `is not a write-ahead log; ${goesOn}`);
  return await open();
}

/** Removes the file of a database and the log beside it, where they are. */
export function removeDatabase(path: string): void {
  for (const file of [path, `${path}.wal`]) rmSync(file, { force: true });
}

/**
 * Renames the log of a closed database to `….wal.corrupt-<time>` and reports it with the reason; removes an empty one.
 */
export function backUpWal(path: string, { nowMs, print }: Printing, why: string): void {
  const wal = `${path}.wal`;
  // A full disk leaves an empty file.
  if (statSync(wal).size === 0) return rmSync(wal);
  const to = findFreeName(`${wal}.corrupt-${nameStamp(nowMs)}`);
  renameSync(wal, to);
  print(warning("log_set_aside", { log: wal, why, to }));
}

function findFreeName(path: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? path : `${path}-${n}`;
    if (!existsSync(name)) return name;
  }
}

// A log begins with an entry that gives its version: the field 100 with the value 98.
const beginning = Buffer.from([0x64, 0x00, 0x62]);

function isForeign(wal: string): boolean {
  if (!existsSync(wal)) return false;
  const head = Buffer.alloc(beginning.length);
  const file = openSync(wal, "r");
  try {
    const length = readSync(file, head, 0, head.length, 0);
    // A run that was killed while it began the log leaves less.
    return length === head.length && !head.equals(beginning);
  } finally {
    closeSync(file);
  }
}

const opener = getEntryPath("pipeline/core/store/replay-child");
const noReplay = 2;

// A run that was killed may leave its own such process, which has the file for a moment longer.
const patienceMs = 10_000;

// Signals of a crash. A process killed from outside shows nothing about the log.
const crashes: readonly string[] = ["SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP"];

/**
 * Opens and closes a database in a separate process, which replays its log. Returns the fault of the log; undefined if
 * it is replayed or something else prevents opening.
 */
export async function tryReplay(
  path: string,
  options: Readonly<Record<string, string>>,
  child = opener,
): Promise<string | undefined> {
  const opening = spawn(process.execPath, [child, JSON.stringify({ path, options, patienceMs })], {
    // The pipe closes where this process is killed, and the other one ends with it.
    stdio: ["pipe", "ignore", "ignore"],
    // It needs none of the secrets of the run.
    env: {},
  });
  const [code, signal] = (await once(opening, "close")) as [number | null, string | null];
  if (code === noReplay) return "could not be replayed";
  if (signal === null || !crashes.includes(signal)) return undefined;
  return `made the database crash (${signal})`;
}
