import { spawn } from "node:child_process";
import { once } from "node:events";
import { childEnv } from "../support/child-env.ts";
import { newCompileCache } from "../support/compile-cache.ts";
import { programPath } from "../support/killed.ts";
import { watchOutput } from "../support/output.ts";

// Starting is half of a short run: what Node has compiled once is kept for the next.
const compiled = newCompileCache();

/** How a process of the command line ended. */
export type Ended = {
  /** Null where a signal ended it. */
  readonly code: number | null;
  /** Whether it was our signal that ended it: a process may also die of one by itself. */
  readonly isKilled: boolean;
  readonly ms: number;
  readonly err: string;
};

/** The command line in a process of its own. */
export type Started = {
  readonly pid: number;
  /** Whether it has ended. */
  readonly isOver: () => boolean;
  readonly kill: () => void;
  /** Resolves when the process has ended and its parent knows. */
  readonly ended: Promise<Ended>;
};

/** Starts a verb as a user would; data on standard output is thrown away. */
export function startCli(argv: readonly string[], env: Readonly<Record<string, string>>): Started {
  const start = performance.now();
  const child = spawn(process.execPath, [programPath, ...argv], {
    env: childEnv({ NODE_COMPILE_CACHE: compiled, ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.resume();
  watchOutput(child);
  let isAsked = false;
  const parts: Buffer[] = [];
  child.stderr.on("data", (part: Buffer) => parts.push(part));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    isKilled: isAsked && signal === "SIGKILL",
    ms: performance.now() - start,
    err: Buffer.concat(parts).toString("utf8"),
  }));
  return {
    pid: child.pid ?? 0,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    kill: () => void (isAsked = child.kill("SIGKILL") || isAsked),
    ended,
  };
}

/** The last line of error that a process printed, for a report of failures. */
export function lastError({ err }: Ended): string {
  const lines = err.trim().split("\n");
  return lines.findLast((line) => line.startsWith("error:")) ?? lines.at(-1) ?? "";
}
