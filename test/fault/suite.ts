import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");

/** Test files that run the suite themselves. */
const runners = /^test\/fault\/canary\.test\.ts$/;

/** Every test file of the project but those that run the suite themselves, by name. */
export function testFiles(): string[] {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".test.ts") && !runners.test(name))
    .sort();
}

/** How a run of the suite ended; its output is in the files of the folder that was given. */
export type SuiteRun = { readonly code: number | null; readonly out: string };

/** Runs test files in a process of its own, with further environment variables. */
export async function runSuite(
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<SuiteRun> {
  // A nested suite must not run as a worker of the outer one.
  const outer = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV)/.test(name),
  );
  const child = spawn(process.execPath, [vitest, "run", "--no-color", ...files], {
    cwd: root,
    env: { ...Object.fromEntries(outer), FAULT_WITHIN: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => void parts.push(part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, out: Buffer.concat(parts).toString("utf8") };
}
