import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Reads a file of the package, such as `queries/load/read.sql`, by its path from the package root. */
export function readAsset(path: string): string {
  return readFileSync(assetPath(path), "utf8");
}

/** The absolute path of a file or folder of the package. */
export function assetPath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
