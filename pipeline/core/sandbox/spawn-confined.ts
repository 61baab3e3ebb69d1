import { spawn, type ChildProcess } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import type { Duplex } from "node:stream";
import type { World } from "../../base/world.ts";
import { confined, scrubbed, type QueryLimits } from "./limits.ts";
import { lifeDescriptor } from "./protocol.ts";

/** What a confined process runs, and where. */
export type ConfinedProgram = {
  /** The module that it begins with; it runs with this process's own Node. */
  readonly childFile: string;
  readonly nodeFlags?: readonly string[];
  /** A folder of its own, in which it works. */
  readonly folder: string;
  readonly mayWrite: boolean;
  /** Whether it shares what this process keeps compiled: half of its start is compiling. */
  readonly sharesCompiled: boolean;
};

/** Starts a process that is confined by the limits, has no secret in its environment, and ends when this one does. */
export function spawnConfined(
  { childFile, nodeFlags = [], folder, mayWrite, sharesCompiled }: ConfinedProgram,
  limits: QueryLimits,
  { env }: Pick<World, "env">,
): ChildProcess {
  // Without the flag, a signal would open a debugger in it to everybody on this machine.
  const command = [process.execPath, "--disable-sigusr1", ...nodeFlags, childFile];
  const { file, args } = confined(command, limits, mayWrite);
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...scrubbed(env, folder), ...(sharesCompiled ? compileCache() : {}) },
    stdio: ["pipe", "ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  // To write to a process that was killed is an error, which its end says better.
  child.stdin?.on("error", () => undefined);
  const life = child.stdio[lifeDescriptor] as Duplex;
  life.on("error", () => undefined);
  child.once("exit", () => life.end("over\n"));
  return child;
}

function compileCache(): Record<string, string> {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
