import { readFileSync, statSync } from "node:fs";
import { AuditlakeError } from "../../base/errors.ts";

/**
 * Refuses to write to a database that is larger than this process may make a file (`ulimit -f`). The database
 * writes some blocks anew where they stand; cut off at the limit, such a block would be lost.
 */
export function refuseLowLimit(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const limit = fileSizeLimit();
  if (limit === undefined || limit > size) return;
  throw new AuditlakeError(
    `cannot write ${path}: the limit on the size of files (ulimit -f) is ${limit} bytes, the file has ${size}: file too large; raise the limit`,
  );
}

// Linux tells; elsewhere there is nothing to go by.
function fileSizeLimit(): number | undefined {
  try {
    const [, limit] =
      /^Max file size +(\d+) /m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
