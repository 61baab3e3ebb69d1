import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestHome } from "./home.ts";

/** The command line as it is in the sources. */
export const binPath = fileURLToPath(new URL("../../pipeline/bin.ts", import.meta.url));

/** The command line in a process of its own. */
export function spawnCommand(argv: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, [binPath, ...argv], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

let pipes = 0;

/**
 * Imports a file in a process of its own and kills that with SIGKILL once the rows are committed: they are in
 * the write-ahead log of the warehouse alone, which nobody has closed.
 */
export async function killAfterCommit(home: TestHome, file: string): Promise<void> {
  const pipe = join(home.folder, `pipe-${(pipes += 1)}`);
  // The second file never gives anything, so the process stays where it is.
  execFileSync("mkfifo", [pipe]);
  const child = spawnCommand(["--home", home.home, "import", file, pipe]);
  let said = "";
  for await (const part of child.stderr!) {
    said += String(part);
    if (said.includes(`${file}: `)) break;
  }
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (!/ records, /.test(said)) throw new Error(`the import did not get as far: ${said}`);
}
