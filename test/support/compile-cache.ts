import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for what Node compiles in processes that are started often; it goes when this process ends. */
export function newCompileCache(): string {
  const folder = mkdtempSync(join(tmpdir(), "auditlake-compiled-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
