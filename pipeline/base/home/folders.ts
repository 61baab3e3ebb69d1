import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isCode } from "../errors.ts";

/**
 * Makes a folder with all above it that are missing; returns the topmost that it made, undefined where all were there.
 * Node's own way never ends where a folder is there and none can be made in it (seen with Node 24 below /proc).
 */
export function makeFolders(folder: string, mode = 0o700): string | undefined {
  try {
    return madeHere(folder, mode);
  } catch (error) {
    const above = dirname(folder);
    if (!isCode(error, "ENOENT") || above === folder) throw error;
    const first = makeFolders(above, mode);
    const own = madeHere(folder, mode);
    return first ?? own;
  }
}

// Another process may have made it just now.
function madeHere(folder: string, mode: number): string | undefined {
  try {
    mkdirSync(folder, { mode });
    return folder;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    if (isFolder(folder)) return undefined;
    const message = `ENOTDIR: not a directory, mkdir '${folder}'`;
    throw Object.assign(new Error(message), { code: "ENOTDIR" });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
