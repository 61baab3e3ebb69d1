import { fork, type ChildProcess, type Serializable } from "node:child_process";
import { once } from "node:events";
import { newCompileCache } from "../support/compile-cache.ts";
import { type Measured, makeSeed } from "./figure.ts";

/** What a child process is asked to do: the units from `first` on. */
export type Share = { readonly first: number; readonly count: number };

/** Does a share of a figure, and takes lines of progress. Each module that `inChildren` is given exports one as `work`. */
export type Work = (share: Share, report: (line: string) => void) => Promise<Measured>;

/** What a child says: a line of progress, or at the end what it measured. */
export type Sent = { readonly line: string } | { readonly measured: Measured };

// A process takes as long to start as some units.
const [mostShares, worthProcess] = [2, 10];

const entry = new URL("child.ts", import.meta.url);

// What Node has compiled once is kept for the next of these processes.
const compiled = newCompileCache();

/**
 * Carries out `count` units by the `work` of a module: few of them here, more in two processes at once, each with a share
 * of the seeds. The results follow in the order of the shares.
 */
export async function inChildren(
  file: URL,
  count: number,
  seed: number,
  report: (line: string) => void,
): Promise<readonly Measured[]> {
  if (count < worthProcess)
    return [await (await readWork(file.href))({ first: seed, count }, report)];
  const shares = Math.min(mostShares, Math.ceil(count / worthProcess));
  const size = Math.ceil(count / shares);
  const parts = Array.from({ length: shares }, (_, i) => ({
    first: seed + i * size,
    count: Math.min(size, count - i * size),
  }));
  return Promise.all(
    parts.filter((part) => part.count > 0).map((part) => inChild(file, part, report)),
  );
}

/** The work of a module. */
export async function readWork(file: string): Promise<Work> {
  return ((await import(file)) as { readonly work: Work }).work;
}

function inChild(file: URL, share: Share, report: (line: string) => void): Promise<Measured> {
  return new Promise((resolve, reject) => {
    // Only its own loader options: those of the test runner mean nothing to it.
    const child = fork(entry, [file.href], {
      execArgv: [],
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    });
    let measured: Measured | undefined;
    child.on("message", (message: Sent) => {
      if ("line" in message) report(message.line);
      else measured = message.measured;
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0 && measured !== undefined) resolve(measured);
      else reject(new Error(`seeds from ${share.first}: the process ended with ${signal ?? code}`));
    });
    child.send(share);
  });
}

/** Works on a share of seeds, so many at a time in one home; `run` says what is wrong with some. */
export async function inBatches(
  { first, count }: Share,
  most: number,
  run: (seeds: readonly number[]) => Promise<readonly string[]>,
  report: (line: string) => void,
): Promise<Measured> {
  const failures: string[] = [];
  for (let done = 0; done < count; done += most) {
    const length = Math.min(most, count - done);
    const seeds = Array.from({ length }, (_, i) => makeSeed(first, done + i));
    failures.push(...(await run(seeds)));
    report(`seeds ${seeds[0]} to ${seeds.at(-1)}, ${failures.length} complaints so far`);
  }
  return { done: count, failures };
}

/** Sends a process an order and waits for its answer; throws where the process ends without one. */
export async function ask<Answer>(child: ChildProcess, order: Serializable): Promise<Answer> {
  const over = new AbortController();
  const { signal } = over;
  const gone = once(child, "exit", { signal }).then(([code, name]) => {
    throw new Error(`a process of the laboratory ended with ${String(name ?? code)}`);
  });
  const answer = once(child, "message", { signal });
  child.send(order);
  try {
    return (await Promise.race([answer, gone]))[0] as Answer;
  } finally {
    over.abort();
    // Both wait on the same process: a rejected one is ignored, since the abort has failed it.
    await Promise.allSettled([gone, answer]);
  }
}
