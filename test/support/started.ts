import { join } from "node:path";
import { entryPath as sourceOf } from "../../pipeline/home/assets.ts";

export { assetPath, readAsset } from "../../pipeline/home/assets.ts";

const program = process.env["AUDITLAKE_TEST_PROGRAM"];

/**
 * The path of a module that a process of its own begins with: as a package has it where a run of the suite has built
 * the program, which starts in half the time, else in the sources.
 */
export function entryPath(module: string): string {
  return program === undefined ? sourceOf(module) : join(program, "../..", `${module}.js`);
}
