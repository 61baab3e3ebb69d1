import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder below the system's temporary one, with what removes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  return { path, remove: () => removeAll(path) };
}

function removeAll(path: string): void {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  try {
    remove();
  } catch {
    // A test may have taken rights from its folders, and only an administrator removes what is in them all the same.
    openFolders(path);
    remove();
  }
}

function openFolders(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
}
