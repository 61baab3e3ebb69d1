import { join } from "node:path";
import { getEntryPath as sourceOf } from "../../pipeline/base/home/assets.ts";

export { getAssetPath, readAsset } from "../../pipeline/base/home/assets.ts";

const program = process.env["AUDITLAKE_TEST_PROGRAM"];

/**
 * The path of a module that starts a separate process. If a run of the suite has built the program, it is that of the
 * package, which starts in half the time; otherwise that of the sources.
 */
export function getEntryPath(module: string): string {
  return program === undefined ? sourceOf(module) : join(program, "../..", `${module}.js`);
}
