import { spawn } from "node:child_process";
import { once } from "node:events";
import { entryPath } from "../../base/home/assets.ts";

const opener = entryPath("pipeline/core/store/replay-child");
const noReplay = 2;

// A run that was killed may leave its own such process, which has the file for a moment longer.
const patienceMs = 10_000;

// What a process dies of by its own fault; one that is killed shows nothing of the log.
const crashes: readonly string[] = ["SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE", "SIGTRAP"];

/**
 * Opens and closes a database in a process of its own, which replays its log. Returns what is wrong with the log,
 * undefined where it is replayed or something else keeps the file from being opened.
 */
export async function faultOfReplay(
  path: string,
  options: Readonly<Record<string, string>>,
  child = opener,
): Promise<string | undefined> {
  const opening = spawn(process.execPath, [child, JSON.stringify({ path, options, patienceMs })], {
    // The pipe closes where this process is killed, and the other one ends with it.
    stdio: ["pipe", "ignore", "ignore"],
    // It needs none of the secrets of the run.
    env: {},
  });
  const [code, signal] = (await once(opening, "close")) as [number | null, string | null];
  if (code === noReplay) return "could not be replayed";
  if (signal === null || !crashes.includes(signal)) return undefined;
  return `made the database crash (${signal})`;
}
