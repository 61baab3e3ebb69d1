import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { AuditlakeError, exitCode, messageOf } from "../errors.ts";

// The lock is one of the operating system's, held through an SQLite file that stays empty: it ends with the
// process, however that ends, and nobody has to judge whether a holder still lives. The file beside it only
// says who holds it.

const holder = z.object({
  pid: z.int(),
  host: z.string(),
  started: z.string().nullable(),
  command: z.string(),
  since: z.string(),
});
type Holder = z.infer<typeof holder>;

/** Held while a run writes; `using` lets go of it. */
export type RunLock = Disposable;

const attempts = 100;
const pauseMs = 10;

/** Takes the run lock of a home; throws with exit code 5, naming the holder, when another run has it. */
export function takeLock(path: string, command: string, nowMs: number): RunLock {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const hold = tryHold(path);
    if (hold !== undefined) return signed(path, hold, command, nowMs);
    const other = readHolder(path);
    if (other !== undefined && isAlive(other))
      throw new AuditlakeError(
        `locked: auditlake ${other.command} (process ${other.pid} on ${other.host}) has been running since ${other.since}; wait for it or stop it`,
        exitCode.locked,
      );
    // Whoever is about to hold it has not signed yet, or has just let go.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
  throw new AuditlakeError(
    `locked: another process holds ${holdPath(path)} without saying which; wait for it or stop it`,
    exitCode.locked,
  );
}

/** Whether a run holds the lock; `void` is one that a killed run left behind. */
export type LockState =
  | { readonly state: "free" | "void" }
  | { readonly state: "held"; readonly command: string; readonly since: string };

/** Looks at the run lock of a home and leaves it as it is. */
export function lockState(path: string): LockState {
  if (!existsSync(path)) return { state: "free" };
  const other = readHolder(path);
  if (other === undefined || !isAlive(other)) return { state: "void" };
  return { state: "held", command: other.command, since: other.since };
}

function signed(path: string, hold: DatabaseSync, command: string, nowMs: number): RunLock {
  const since = new Date(nowMs).toISOString();
  const started = startOf(process.pid);
  const me: Holder = { pid: process.pid, host: hostname(), started, command, since };
  try {
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify(me), { mode: 0o600 });
  } catch (error) {
    hold.close();
    throw new AuditlakeError(
      `cannot write ${path}: ${messageOf(error)}; make room, then run again`,
    );
  }
  const letGo = (): void => {
    rmSync(path, { force: true });
    hold.close();
  };
  return { [Symbol.dispose]: letGo };
}

function holdPath(path: string): string {
  return `${path}.sqlite`;
}

// Undefined when somebody else has it, if only for the moment in which he tries as well.
function tryHold(path: string): DatabaseSync | undefined {
  const file = holdPath(path);
  // Never opened where it exists: closing it again would end a lock that this process holds already.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  const database = new DatabaseSync(file);
  try {
    database.exec("begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw new AuditlakeError(
      `cannot lock ${file}: ${messageOf(error)}; mend the rights below the home, or make room there`,
    );
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

function isAlive(other: Holder): boolean {
  if (other.host !== hostname()) return true;
  const started = startOf(other.pid);
  // A process number is used again after a while; the start time tells the two apart.
  if (started !== null || other.started !== null) return started === other.started;
  try {
    process.kill(other.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

// Where the system tells: a process that is dead but not yet waited for counts as gone.
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ");
    return fields?.[0] === "Z" ? null : (fields?.[19] ?? null);
  } catch {
    return null;
  }
}
