import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A folder for what Node compiles in processes that are started often. It goes when this process ends, or with what was
 * prepared for all test files: their processes are ended without a chance to remove anything.
 */
export function newCompileCache(): string {
  const prepared = process.env["AUDITLAKE_TEST_COMPILED"];
  if (prepared !== undefined) return prepared;
  const folder = mkdtempSync(join(tmpdir(), "auditlake-compiled-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
