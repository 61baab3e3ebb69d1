import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import program from "../../rolldown.program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

// What a package has beside the built files.
const beside = ["node_modules", "package.json", "queries", "schemas"];
const assets = ["pipeline/base/html", "pipeline/adapters/serve"];

/**
 * Builds the command line into a folder as a package has it, in few files, and returns the path to start. That takes
 * half the processor time of starting the sources.
 */
export async function buildProgram(folder: string): Promise<string> {
  const { output, ...input } = program;
  await using bundle = await rolldown({ ...input, cwd: root });
  await bundle.write({ ...output, dir: folder });
  mkdirSync(join(folder, "pipeline/adapters"), { recursive: true });
  for (const name of [...beside, ...assets]) symlinkSync(join(root, name), join(folder, name));
  return join(folder, "pipeline", "bin.js");
}
