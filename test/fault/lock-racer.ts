import { closeSync, openSync, rmSync } from "node:fs";
import { AuditlakeError, isCode } from "../../pipeline/base/errors.ts";
import { takeLock } from "../../pipeline/base/home/lock.ts";
import { preciseNow, type Start, type Try } from "./lock-race.ts";

// A process of the lock storm: takes and releases a lock repeatedly, at the given moments.

process.on("message", ({ path, atMs, holdMs }: Start) => {
  process.send?.(atMs.map((moment) => tryOnce(path, moment, holdMs)));
});
process.on("disconnect", () => process.exit(0));

function tryOnce(path: string, atMs: number, holdMs: number): Try {
  spinUntil(atMs);
  try {
    using _lock = takeLock(path, `storm of ${process.pid}`, Date.now());
    return holdAlone(`${path}.witness`, holdMs);
  } catch (error) {
    const isLocked = error instanceof AuditlakeError && error.exitCode === 5;
    return { result: isLocked ? "locked" : "fault", message: String(error) };
  }
}

// The file system shows whether another process holds it as well.
function holdAlone(witness: string, holdMs: number): Try {
  try {
    closeSync(openSync(witness, "wx"));
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    return { result: "fault", message: "two hold the lock at once" };
  }
  spinUntil(preciseNow() + holdMs);
  rmSync(witness);
  return { result: "won", message: "" };
}

function spinUntil(ms: number): void {
  while (preciseNow() < ms);
}
