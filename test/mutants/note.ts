/**
 * A module for a copy of the tree: running code calls `__reach`, and each name is written once for each test file. A
 * process that a test starts reads the test's name from a file, since its environment may be empty. One that may not
 * write to any file, such as a confined one, creates an empty file whose name has the information.
 */
export function noteModule(folder: string): string {
  return `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
if (globalThis.__reach === undefined) {
  const folder = ${JSON.stringify(folder)};
  const read = fs.readFileSync;
  const seen = new Map();
  let own;
  const test = () => {
    if (globalThis.__reachTest !== undefined) return globalThis.__reachTest;
    try { return (own ??= read(folder + "/current", "utf8")); } catch { return ""; }
  };
  globalThis.__reach = (name) => {
    const by = test();
    if (seen.get(name) === by) return;
    seen.set(name, by);
    const line = name + "\\t" + by;
    try { fs.appendFileSync(folder + "/reached.txt", line + "\\n"); }
    catch { try { fs.closeSync(fs.openSync(folder + "/confined/" + encodeURIComponent(line), "a")); } catch {} }
  };
  fs.readFileSync = (path, ...more) => {
    const [, asset] = /(queries\\/.*\\.sql)$/.exec(String(path)) ?? [];
    if (asset !== undefined) globalThis.__reach(asset);
    return read(path, ...more);
  };
  syncBuiltinESMExports();
}
`;
}
