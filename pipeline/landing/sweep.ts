import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isCode } from "../errors.ts";
import { isDraft } from "../durable.ts";

/** Removes the drafts that killed runs left in a landing folder; only the holder of the run lock may call it. */
export function sweepDrafts(folder: string): void {
  for (const path of filesBelow(folder)) if (isDraft(nameOf(path))) rmSync(path, { force: true });
}

/** Paths of the files below a folder; none where it does not exist. */
export function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
  } catch (error) {
    if (isCode(error, "ENOENT")) return [];
    throw error;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
