import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { childEnv } from "./child-env.ts";
import type { TestHome } from "./home.ts";
import { watchOutput } from "./output.ts";

/** The command line as it is in the sources. */
export const binPath = fileURLToPath(new URL("../../pipeline/bin.ts", import.meta.url));

/** The command line to start: as a package has it where a run of the suite has built it, else the sources. */
export const programPath = process.env["AUDITLAKE_TEST_PROGRAM"] ?? binPath;

/** The command line in a process of its own. */
export function spawnCommand(argv: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [programPath, ...argv], {
    env: childEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  watchOutput(child);
  return child;
}

// Loaded before the program: its checkpoint never ends.
const heldCheckpoint = new URL("paused-checkpoint.ts", import.meta.url).href;

/**
 * Imports a file in a separate process and kills that with SIGKILL once the rows are committed. They are then only in
 * the warehouse's write-ahead log, which was not closed.
 */
export async function killAfterCommit(home: TestHome, file: string): Promise<void> {
  const argv = ["--import", heldCheckpoint, programPath, "--home", home.home, "import", file];
  const child = spawn(process.execPath, argv, {
    env: childEnv({}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for await (const part of child.stderr) {
    printed += String(part);
    if (printed.includes("checkpoint is held")) break;
  }
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (!/ records, /.test(printed)) throw new Error(`the import did not get as far: ${printed}`);
}
