import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type Duplex, PassThrough, type Readable } from "node:stream";
import { makeTemporary } from "../../base/home/drafts.ts";
import type { World } from "../../base/world.ts";
import {
  confineProgram,
  graceMs,
  type QueryLimits,
  scrubEnvironment,
  chooseThreads,
} from "./limits.ts";
import {
  answerDescriptor,
  interruptLine,
  lifeDescriptor,
  type SandboxRequest,
} from "./protocol.ts";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** The task: one statement against one published file. */
export type SandboxTask = Omit<SandboxRequest, "maxRows" | "memoryLimit" | "threads"> & {
  /** The module that calls `serveQuery`; it runs with this process's own Node. */
  readonly childFile: string;
};

/** Why the process was made to end before its answer was complete. */
type StopReason = "timeout" | "bytes" | "interrupted";

/** The confined process of one query. To be closed: that kills it and removes its folder. */
export class SandboxProcess implements AsyncDisposable {
  /** What the process answers, at most `maxBytes` where there is a bound; ends when the process does. */
  readonly answer = new PassThrough();
  /** Resolves, at the end of the process, to the name of the signal or the number it ended with. */
  readonly ended: Promise<string>;
  stopReason: StopReason | undefined;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #spill: string | undefined;
  readonly #over = new AbortController();
  readonly #world: World;
  #bytes = 0;

  constructor(task: SandboxTask, limits: QueryLimits, world: World) {
    this.#world = world;
    this.#spill = task.spill;
    this.#folder = makeTemporary("sql");
    // Also if the process ends without closing, as it does when its output is no longer read.
    process.once("exit", this.#removeFolder);
    this.#child = startChild(task, this.#folder, limits, world);
    this.ended = awaitEnd(this.#child);
    void this.ended.then(() => this.#over.abort());
    this.#collect(this.#child.stdio[answerDescriptor] as Readable, limits.maxBytes);
    this.#send(JSON.stringify(buildRequest(task, limits)));
    void this.#watchTime(limits);
    world.signal.addEventListener("abort", this.#interrupt);
    if (world.signal.aborted) this.#interrupt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#world.signal.removeEventListener("abort", this.#interrupt);
    process.off("exit", this.#removeFolder);
    this.#child.kill("SIGKILL");
    // Unread output would delay the end.
    this.#child.stdio[answerDescriptor]?.destroy();
    await this.ended;
    this.#removeFolder();
  }

  // A bounded answer is taken in as fast as it comes. A reader who stops to look, as in a pager, then does not hold up
  // the statement until its time is over.
  #collect(source: Readable, maxBytes: number | undefined): void {
    source.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (maxBytes !== undefined && this.#bytes > maxBytes) this.#stop("bytes");
      else if (!this.answer.write(chunk) && maxBytes === undefined) source.pause();
    });
    if (maxBytes === undefined) this.answer.on("drain", () => source.resume());
    source.on("close", () => this.answer.end());
  }

  #send(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  // By the clock of this machine, which the process runs by.
  async #watchTime({ timeoutMs, maxBytes }: QueryLimits): Promise<void> {
    const { signal } = this.#over;
    try {
      for (let seen = 0; ; seen = this.#bytes) {
        await wait(timeoutMs, undefined, { signal });
        const isProgressing = this.#bytes !== seen || this.answer.writableNeedDrain;
        if (maxBytes !== undefined || !isProgressing) break;
      }
      this.stopReason ??= "timeout";
      this.#send(interruptLine);
      await wait(graceMs, undefined, { signal });
      this.#child.kill("SIGKILL");
    } catch {
      // Closed in time: the wait was broken off.
    }
  }

  readonly #removeFolder = (): void => {
    for (const path of [this.#folder, this.#spill])
      if (path !== undefined) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };

  readonly #interrupt = (): void => this.#stop("interrupted");

  #stop(reason: StopReason): void {
    this.stopReason ??= reason;
    this.#child.kill("SIGKILL");
  }
}

function buildRequest(task: SandboxTask, limits: QueryLimits): SandboxRequest {
  const { maxRows, memoryLimit } = limits;
  return { ...task, maxRows, memoryLimit, threads: chooseThreads(limits) };
}

function startChild(
  { childFile, spill, result }: SandboxTask,
  folder: string,
  limits: QueryLimits,
  world: World,
): ChildProcess {
  const mayWrite = spill !== undefined || typeof result === "object";
  const program = { childFile, folder, mayWrite, sharesCompiled: mayWrite };
  return spawnConfined(program, limits, world);
}

function awaitEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(signal ?? String(code)));
  });
}

/** What a confined process runs, and where. */
type ConfinedProgram = {
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
  const { file, args } = confineProgram(command, limits, mayWrite);
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...scrubEnvironment(env, folder), ...(sharesCompiled ? compileCache() : {}) },
    stdio: ["pipe", "ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  // Writing to a killed process fails; its exit gives the better error.
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
