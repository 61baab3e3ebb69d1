import { spawn } from "node:child_process";
import { once } from "node:events";
import { exitCode, getMessage } from "../../base/errors.ts";
import type { Call } from "../../base/command-line.ts";
import type { JobEnd } from "./job-outcome.ts";
import { getEntryPath } from "../../base/home/assets.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { readResult, type Result, resultVariable } from "../../base/notice/result.ts";

/** How this very program is called for a job: the same Node, program, configuration and home. */
export function buildCall({ configFile, configFolder, home }: Settings): Call {
  const config = configFile === undefined ? [] : ["--config", configFile];
  return {
    words: [process.execPath, getEntryPath("pipeline/bin"), ...config, "--home", home.root],
    folder: configFolder,
  };
}

/**
 * Runs one command line in a child process that shares the output; resolves to how it ended. An abort requests an
 * orderly end.
 */
export async function runChild(
  { words, folder }: Call,
  argv: readonly string[],
  world: World,
  resultFile?: string,
): Promise<JobEnd> {
  const [file, ...args] = [...words, ...argv];
  // A group of its own: Ctrl-C reaches it through us alone, once.
  const child = spawn(file!, args, {
    cwd: folder,
    detached: true,
    env: resultFile === undefined ? world.env : { ...world.env, [resultVariable]: resultFile },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(world.stdout, { end: false });
  child.stderr.pipe(world.stderr, { end: false });
  const stop = (): void => void child.kill("SIGTERM");
  world.signal.addEventListener("abort", stop, { once: true });
  if (world.signal.aborted) stop();
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    const result = resultFile === undefined ? undefined : readResult(resultFile);
    if (code !== null) return { code, ...causeIn(result) };
    return { code: exitCode.failed, cause: `ended by ${signal}` };
  } catch (error) {
    return {
      code: exitCode.failed,
      cause: `cannot start ${file} in ${folder}: ${getMessage(error)}`,
    };
  } finally {
    world.signal.removeEventListener("abort", stop);
  }
}

// The first error, else the first warning.
function causeIn(result: Result | undefined): Pick<JobEnd, "cause" | "about" | "isBadStatement"> {
  const findNotice = (level: "error" | "warning") =>
    result?.notices.find((one) => one.level === level);
  const notice = findNotice("error") ?? findNotice("warning");
  if (notice === undefined) return {};
  return {
    cause: notice.text,
    about: notice.about,
    isBadStatement: notice.code === "statement_bad",
  };
}
