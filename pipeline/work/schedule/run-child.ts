import { spawn } from "node:child_process";
import { once } from "node:events";
import { exitCode, messageOf } from "../../base/errors.ts";
import type { Call } from "../../base/command-line.ts";
import type { Ended } from "./job-outcome.ts";
import { entryPath } from "../../base/home/assets.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { newListener } from "./cause.ts";

/** How this very program is called for a job: the same Node, program, configuration and home. */
export function callOf({ configFile, configFolder, home }: Settings): Call {
  const config = configFile === undefined ? [] : ["--config", configFile];
  return {
    words: [process.execPath, entryPath("pipeline/bin"), ...config, "--home", home.root],
    folder: configFolder,
  };
}

/**
 * Runs one command line in a process of its own, its output beside ours; resolves to how it ended. When the signal
 * aborts the process is asked to end in order.
 */
export async function runChild(
  { words, folder }: Call,
  argv: readonly string[],
  world: World,
): Promise<Ended> {
  const [file, ...args] = [...words, ...argv];
  // A group of its own: Ctrl-C reaches it through us alone, once.
  const child = spawn(file!, args, {
    cwd: folder,
    detached: true,
    env: world.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const listener = newListener();
  child.stdout.pipe(world.stdout, { end: false });
  child.stderr.pipe(world.stderr, { end: false });
  child.stderr.on("data", listener.hear);
  const stop = (): void => void child.kill("SIGTERM");
  world.signal.addEventListener("abort", stop, { once: true });
  if (world.signal.aborted) stop();
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    if (code !== null) return { code, cause: listener.cause() };
    return { code: exitCode.failed, cause: `ended by ${signal}` };
  } catch (error) {
    return {
      code: exitCode.failed,
      cause: `cannot start ${file} in ${folder}: ${messageOf(error)}`,
    };
  } finally {
    world.signal.removeEventListener("abort", stop);
  }
}
