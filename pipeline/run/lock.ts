import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { AuditlakeError, exitCode, isCode } from "../errors.ts";

const holder = z.object({
  pid: z.int(),
  host: z.string(),
  started: z.string().nullable(),
  command: z.string(),
  since: z.string(),
});

/** Held while a run writes; `using` lets go of it. */
export type RunLock = Disposable;

/** Takes the run lock of a home; throws with exit code 5, naming the holder, when another run has it. */
export function takeLock(path: string, command: string, nowMs: number): RunLock {
  for (let attempt = 0; attempt < 3; attempt++) {
    if (tryCreate(path, command, nowMs))
      return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
    const other = readHolder(path);
    if (other !== undefined && isAlive(other))
      throw new AuditlakeError(
        `locked: auditlake ${other.command} (process ${other.pid} on ${other.host}) has been running since ${other.since}; wait for it or stop it`,
        exitCode.locked,
      );
    // The holder was killed: its lock is void.
    removeVoid(path);
  }
  throw new AuditlakeError(`locked: another run took ${path} first; try again`, exitCode.locked);
}

/** Whether a run holds the lock; `void` is one that a killed run left behind. */
export type LockState =
  | { readonly state: "free" | "void" }
  | { readonly state: "held"; readonly command: string; readonly since: string };

/** Looks at the run lock of a home without touching it. */
export function lockState(path: string): LockState {
  if (!existsSync(path)) return { state: "free" };
  const other = readHolder(path);
  if (other === undefined || !isAlive(other)) return { state: "void" };
  return { state: "held", command: other.command, since: other.since };
}

// The file appears together with what is in it, so that nobody takes half a holder for a void one.
function tryCreate(path: string, command: string, nowMs: number): boolean {
  const own = `${path}.${process.pid}`;
  const since = new Date(nowMs).toISOString();
  const started = startOf(process.pid);
  const me = { pid: process.pid, host: hostname(), started, command, since };
  writeFileSync(own, JSON.stringify(me), { mode: 0o600 });
  try {
    placeAnew(own, path);
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

// Not every file system knows hard links; there the copy is not made in one step, but nearly.
function placeAnew(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (isCode(error, "EEXIST")) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

// Another run may have taken the void lock over a moment ago: what was moved aside is looked at again.
function removeVoid(path: string): void {
  const aside = `${path}.${process.pid}.void`;
  try {
    renameSync(path, aside);
    const other = readHolder(aside);
    if (other !== undefined && isAlive(other)) placeAnew(aside, path);
  } catch (error) {
    if (!isCode(error, "ENOENT") && !isCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readHolder(path: string): z.infer<typeof holder> | undefined {
  try {
    return holder.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

function isAlive(other: z.infer<typeof holder>): boolean {
  if (other.host !== hostname()) return true;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    return isCode(error, "EPERM");
  }
  // A process number is used again after a while; the start time tells the two apart.
  return other.started === startOf(other.pid);
}

function startOf(pid: number): string | null {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return null;
  return readFileSync(path, "utf8").split(") ").at(-1)?.split(" ")[19] ?? null;
}
