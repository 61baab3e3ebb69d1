import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** Reads a file of the package, such as `queries/load/users.sql`, by its path from the package root. */
export function readAsset(path: string): string {
  return readFileSync(getAssetPath(path), "utf8");
}

/** The absolute path of a file or folder of the package. */
export function getAssetPath(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/**
 * The absolute path of a module that a process or a thread of its own begins with, such as `pipeline/answers/ask/query-child`.
 * It is TypeScript in a checkout, JavaScript in the package.
 */
export function getEntryPath(module: string): string {
  return getAssetPath(`${module}${extname(import.meta.url)}`);
}
