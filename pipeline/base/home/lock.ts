import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { AuditlakeError, exitCode, getMessage } from "../errors.ts";
import { writeFault } from "./durable.ts";

// An operating system lock, taken through an SQLite file that stays empty. It ends with the process, so that no run has
// to decide whether a holder is alive. The file beside it only names the holder.

const holder = z.object({
  pid: z.int(),
  host: z.string(),
  started: z.string().nullable(),
  command: z.string(),
  since: z.string(),
});
type Holder = z.infer<typeof holder>;

/** Held while a run writes; `using` lets go of it. */
export type RunLock = Disposable & {
  /** Throws with exit code 5 where another run has signed since, as on a shared disk without locks. */
  readonly check: () => void;
  /** When it was taken, by `performance.now()`. */
  readonly takenMs: number;
};

const held = new Map<string, RunLock>();

/** The lock of a home that this process holds; undefined where it holds none. */
export function tryLock(path: string): RunLock | undefined {
  return held.get(path);
}

const attempts = 100;
const pauseMs = 10;
// The process of another machine cannot be looked up, and its name may outlive it for a moment.
const attemptsAbroad = 5;

/** Takes the run lock of a home; throws with exit code 5, naming the holder, when another run has it. */
export function takeLock(path: string, command: string, nowMs: number): RunLock {
  let heldInRow = 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const hold = tryHold(path);
    if (hold !== undefined) return signLock(path, hold, command, nowMs);
    const other = readHolder(path);
    // A process that only looks at the lock blocks it for a moment, and lets others look.
    heldInRow = isHeld(path) === false ? 0 : heldInRow + 1;
    if (other !== undefined && isAlive(other) && heldInRow >= countAttempts(other))
      throw new AuditlakeError(
        `locked: auditlake ${other.command} (process ${other.pid} on ${other.host}) has been running since ${other.since}; wait for it or stop it`,
        exitCode.locked,
      );
    // The next holder has not signed yet, or the last one has just released the lock.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  throw new AuditlakeError(
    `locked: an unknown process holds ${holdPath(path)}; wait for it or stop it`,
    exitCode.locked,
  );
}

/** State of the run lock; `void` if a killed run left it. */
export type LockState =
  | { readonly state: "free" | "void" }
  /** `by` is undefined while a run has started and not signed yet. */
  | { readonly state: "held"; readonly by: Pick<Holder, "command" | "since"> | undefined };

/** Reads the run lock of a home without changing it. */
export function lockState(path: string): LockState {
  const other = readHolder(path);
  const by = other !== undefined && isAlive(other) ? other : undefined;
  // Where the operating system's lock cannot be queried, the signature decides.
  if (isHeld(path) ?? by !== undefined) return { state: "held", by };
  return { state: existsSync(path) ? "void" : "free" };
}

function signLock(path: string, hold: DatabaseSync, command: string, nowMs: number): RunLock {
  const since = new Date(nowMs).toISOString();
  const started = readStart(process.pid);
  const me: Holder = { pid: process.pid, host: hostname(), started, command, since };
  try {
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify(me), { mode: 0o600 });
  } catch (error) {
    hold.close();
    throw writeFault(path, error);
  }
  const isMine = (): boolean => isDeepStrictEqual(readHolder(path), me);
  const letGo = (): void => {
    held.delete(path);
    if (isMine()) rmSync(path, { force: true });
    hold.close();
  };
  const check = (): void => {
    if (!isMine()) throw newOvertakenError(path);
  };
  const lock = { check, takenMs: performance.now(), [Symbol.dispose]: letGo };
  held.set(path, lock);
  return lock;
}

function newOvertakenError(path: string): AuditlakeError {
  const other = readHolder(path);
  const who =
    other === undefined
      ? `${path} was removed`
      : `auditlake ${other.command} (process ${other.pid} on ${other.host}) started to write here at ${other.since}`;
  return new AuditlakeError(
    `${who}, but this run is still active; it stops before it stores more data; keep the home on a file system with locks, or write from one machine only`,
    exitCode.locked,
  );
}

function holdPath(path: string): string {
  return `${path}.sqlite`;
}

// Undefined while another process has the lock, also if it only tries to take it at the same moment.
function tryHold(path: string): DatabaseSync | undefined {
  const file = holdPath(path);
  // Opened only if missing: closing it again would release a lock that this process already has.
  if (!existsSync(file)) makeEmpty(file);
  const database = new DatabaseSync(file);
  try {
    database.exec("begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw new AuditlakeError(
      `cannot lock ${file}: ${getMessage(error)}; correct the permissions in the home, or free disk space`,
    );
  }
}

function makeEmpty(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
  } catch (error) {
    throw writeFault(file, error);
  }
}

/**
 * Whether a process has the operating system's lock, from a read beside it; undefined where that cannot be determined.
 */
function isHeld(path: string): boolean | undefined {
  const file = holdPath(path);
  if (!existsSync(file)) return false;
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    database.exec("select count(*) from sqlite_schema");
    return false;
  } catch (error) {
    return isBusy(error) ? true : undefined;
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}

function readHolder(path: string): Holder | undefined {
  try {
    return holder.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

function countAttempts({ host }: Holder): number {
  return host === hostname() ? 1 : attemptsAbroad;
}

function isAlive(other: Holder): boolean {
  if (other.host !== hostname()) return true;
  const started = readStart(other.pid);
  // Process ids are reused; the start time distinguishes two processes with the same id.
  if (started !== null || other.started !== null) return started === other.started;
  try {
    process.kill(other.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

// On Linux: a zombie process counts as ended.
function readStart(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return fields?.[0] === "Z" ? null : (fields?.[19] ?? null);
  } catch {
    return null;
  }
}
