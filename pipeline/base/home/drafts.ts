import { randomBytes } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AuditlakeError, isCode, getMessage } from "../errors.ts";
import { tmpdir } from "node:os";

// A draft lies beside the file that it becomes, because a rename is atomic only within one file system. A killed
// process leaves its draft behind. In a home, the next holder of the lock removes every draft. Other folders may belong
// to other users: there the next process that writes removes abandoned drafts. The name has the process id, so that a
// dead process can be recognised.
const ownName = /^\.[0-9a-f]{12}\.tmp$/;
const outputName = /^\.auditlake-(\d+)-\d+\.tmp$/;
const dayMs = 86_400_000;
const mostDrafts = 1000;

/** A name in a folder of a home for a file that is not whole yet. */
export function newDraftPath(folder: string): string {
  return join(folder, `.${randomBytes(6).toString("hex")}.tmp`);
}

/** Whether a file of a home is a draft, which no reader opens and no later run needs. */
export function isDraft(name: string): boolean {
  return ownName.test(name);
}

/**
 * Makes a draft of output in a folder, and returns what `make` gave. It calls `make` with one path after the other until one is
 * free. `make` throws EEXIST where it is not. Drafts that killed processes left there long ago are removed.
 */
export async function makeDraft<T>(folder: string, make: (path: string) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    const path = join(folder, `.auditlake-${process.pid}-${attempt}.tmp`);
    try {
      const made = await make(path);
      // Uses the clock of the folder, since that of a file server may differ from this machine's.
      sweepDrafts(folder, lstatSync(path).mtimeMs);
      return made;
    } catch (error) {
      if (!isCode(error, "EEXIST") || attempt === mostDrafts) throw error;
    }
  }
}

function sweepDrafts(folder: string, nowMs: number): void {
  for (const name of listDrafts(folder)) {
    const pid = outputName.exec(name)?.[1];
    const path = join(folder, name);
    if (pid === undefined) continue;
    try {
      if (isAbandoned(path, Number(pid), nowMs)) rmSync(path, { recursive: true, force: true });
    } catch {
      // In a shared folder the draft may belong to another user.
    }
  }
}

// A user may write into a folder without the right to list it.
function listDrafts(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Checks whether a temporary file of a process can be removed: the process has ended, and the file has not changed for
 * a day. The day protects processes of other machines or containers that share the folder.
 */
export function isAbandoned(path: string, pid: number, nowMs: number): boolean {
  return !isRunning(pid) && nowMs - readLastChangeMs(path, nowMs) > dayMs;
}

// Writing into a file does not change the modification time of its folder.
function readLastChangeMs(path: string, nowMs: number): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return nowMs;
  const inside = found.isDirectory() ? readdirSync(path) : [];
  return Math.max(
    found.mtimeMs,
    ...inside.map((name) => readLastChangeMs(join(path, name), nowMs)),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

/**
 * Makes a folder (0700) for files that only this process needs, in the system's temporary folder; returns its path. The
 * name begins with `auditlake-` and the purpose. Throws AuditlakeError where none can be made.
 */
export function makeTemporary(purpose: string): string {
  const place = tmpdir();
  try {
    return mkdtempSync(join(place, `auditlake-${purpose}-`));
  } catch (error) {
    throw new AuditlakeError(
      `cannot create a folder for temporary files in ${place}: ${getMessage(error)}; set TMPDIR to a writable folder with free space`,
    );
  }
}
