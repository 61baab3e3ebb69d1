import { join } from "node:path";
import { getEntryPath as sourceOf } from "../../pipeline/base/home/assets.ts";

export { getAssetPath, readAsset } from "../../pipeline/base/home/assets.ts";

const program = process.env["AUDITLAKE_TEST_PROGRAM"];

/**
 * The path of a module that a process of its own begins with. Where a run of the suite has built the program it is that
 * of the package, which starts in half the time. Else it is that of the sources.
 */
export function getEntryPath(module: string): string {
  return program === undefined ? sourceOf(module) : join(program, "../..", `${module}.js`);
}
