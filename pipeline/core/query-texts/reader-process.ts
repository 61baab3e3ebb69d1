import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { makeTemporary } from "../../base/home/drafts.ts";
import { getEntryPath } from "../../base/home/assets.ts";
import { readLines } from "../sandbox/row-lines.ts";
import { answerDescriptor } from "../sandbox/protocol.ts";
import { spawnConfined } from "../sandbox/confined-process.ts";
import type { World } from "../../base/world.ts";
import type { Answer, Question } from "./protocol.ts";

const childFile = getEntryPath("pipeline/core/query-texts/reader-child");
const startMs = 60_000;
const heapMegabytes = 512;
// For all texts of one process, so that a process that is never killed ends by itself.
const processorMs = 3_600_000;

/** The confined process that reads the texts of queries. To be closed: that kills it and removes its folder. */
export class TextReader implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #ended: Promise<undefined>;
  readonly #answers: AsyncGenerator<string>;
  #isReady = false;

  constructor(world: Pick<World, "env">) {
    this.#folder = makeTemporary("texts");
    process.once("exit", this.#removeFolder);
    this.#child = startChild(this.#folder, world);
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", () => resolve(undefined));
      this.#child.once("close", () => resolve(undefined));
    });
    const answers = this.#child.stdio[answerDescriptor] as Readable;
    this.#child.once("error", () => answers.destroy());
    this.#answers = readOneByOne(answers);
  }

  /** What a text touches; undefined where the time is over or the process died of it, and with it this reader. */
  async read(question: Question, timeoutMs: number): Promise<Answer | undefined> {
    if (!this.#isReady) await this.#start();
    this.#child.stdin!.write(`${JSON.stringify(question)}\n`);
    const line = await this.#next(timeoutMs);
    return line === undefined ? undefined : (JSON.parse(line) as Answer);
  }

  async #start(): Promise<void> {
    if ((await this.#next(startMs)) === undefined)
      throw new Error("the process that parses query texts could not be started");
    this.#isReady = true;
  }

  async #next(timeoutMs: number): Promise<string | undefined> {
    const over = new AbortController();
    const late = wait(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
    const next = this.#answers.next().then(({ value }) => value as string | undefined);
    try {
      // Not with the end of the process: a race that a promise outlives stays with it. Where the process ends, so do
      // its answers.
      return await Promise.race([next, late]);
    } finally {
      over.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off("exit", this.#removeFolder);
    this.#child.kill("SIGKILL");
    this.#child.stdio[answerDescriptor]?.destroy();
    await this.#ended;
    this.#removeFolder();
  }

  readonly #removeFolder = (): void => {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

function startChild(folder: string, world: Pick<World, "env">): ChildProcess {
  const limits = {
    timeoutMs: processorMs,
    timeoutName: "",
    maxRows: 0,
    maxBytes: undefined,
    memoryLimit: `${heapMegabytes}MB`,
    threads: 1,
  };
  const nodeFlags = [`--max-old-space-size=${heapMegabytes}`];
  const program = { childFile, nodeFlags, folder, mayWrite: false, sharesCompiled: true };
  return spawnConfined(program, limits, world);
}

async function* readOneByOne(stream: Readable): AsyncGenerator<string> {
  try {
    for await (const lines of readLines(stream)) yield* lines;
  } catch {
    // Closed while it was read: the process is over.
  }
}
