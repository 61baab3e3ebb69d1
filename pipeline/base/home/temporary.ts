import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditlakeError, messageOf } from "../errors.ts";

/**
 * Makes a folder (0700) for files that nobody needs after this process, where the machine keeps such; returns its path.
 * The name begins with `auditlake-` and the purpose. Throws AuditlakeError where none can be made.
 */
export function makeTemporary(purpose: string): string {
  const place = tmpdir();
  try {
    return mkdtempSync(join(place, `auditlake-${purpose}-`));
  } catch (error) {
    throw new AuditlakeError(
      `no folder for temporary files can be made in ${place}: ${messageOf(error)}; set TMPDIR to a folder that can be written, with room`,
    );
  }
}
