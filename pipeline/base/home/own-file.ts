import { closeSync, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { UsageError } from "../errors.ts";
import { whyUnreadable } from "./given-file.ts";

/**
 * The bytes of a file that was found and not named: it decides where keys are sent. Throws UsageError for one that
 * another user owns or may write.
 */
export function readOwn(path: string, what: string): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    // The opened file is checked, so that no other can take its place in between; the link to it is checked as well.
    const fault = foreignFault(fstatSync(file)) ?? ownerFault(lstatSync(path));
    if (fault === undefined) return readFileSync(file);
    throw new UsageError(
      `${what} ${path} ${fault}, and it decides where the key of the service is sent; check its content, then name it with --config`,
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${what} ${path}: ${whyUnreadable(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function foreignFault(facts: Stats): string | undefined {
  const mode = facts.mode & 0o777;
  const writable = `has mode ${mode.toString(8)}: others may write it (chmod go-w corrects that)`;
  return ownerFault(facts) ?? ((mode & 0o022) === 0 ? undefined : writable);
}

// The administrator may change any file.
function ownerFault({ uid }: Stats): string | undefined {
  const user = process.getuid?.() ?? uid;
  return uid === user || uid === 0 ? undefined : `belongs to another user (id ${uid})`;
}
