import { createInterface } from "node:readline";
import type { World } from "../world.ts";

/** Builds a question for a terminal; without a terminal the answer is no. */
export function askOnTerminal(world: World): (question: string) => Promise<boolean> {
  return (question) =>
    world.stdin.isTTY === true ? confirmChange(question, world) : Promise.resolve(false);
}

/** Prompts on the terminal; true only for `y` or `yes`. The end of input and Ctrl-C mean no. */
export async function confirmChange(question: string, world: World): Promise<boolean> {
  using lines = newLines(world);
  return isYes(await lines.ask(`${question} [y/N] `));
}

/** The same, and after a yes for a line of text; undefined where it is a no, empty text where nothing was written. */
export async function confirmWithText(
  question: string,
  more: string,
  world: World,
): Promise<string | undefined> {
  using lines = newLines(world);
  if (!isYes(await lines.ask(`${question} [y/N] `))) return undefined;
  const text = await lines.ask(`${more}: `);
  return world.signal.aborted ? undefined : (text ?? "").trim();
}

const isYes = (answer: string | undefined): boolean => /^y(es)?$/i.test(answer?.trim() ?? "");

type Lines = Disposable & { readonly ask: (prompt: string) => Promise<string | undefined> };

// One reader for all questions: what was typed ahead would go with the first.
function newLines(world: World): Lines {
  // Plain reading of lines leaves Ctrl-C to the terminal, which turns it into a signal.
  const reader = createInterface({ input: world.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const stop = (): void => reader.close();
  world.signal.addEventListener("abort", stop, { once: true });
  return {
    ask: async (prompt) => {
      world.stderr.write(prompt);
      const { done, value } = await lines.next();
      if (done !== true) return value;
      // Ends the line of the question, unless Ctrl-C did on a terminal.
      if (!world.signal.aborted || world.stderr.isTTY !== true) world.stderr.write("\n");
      return undefined;
    },
    [Symbol.dispose]: () => {
      world.signal.removeEventListener("abort", stop);
      reader.close();
    },
  };
}

/** Prints a line on an interrupt; `using` ends the waiting. */
export function printOnInterrupt(world: World, line: string): Disposable {
  const print = (): void => void world.stderr.write(`${line}\n`);
  world.signal.addEventListener("abort", print, { once: true });
  return { [Symbol.dispose]: () => world.signal.removeEventListener("abort", print) };
}

export function awaitInterrupt({ signal }: Pick<World, "signal">): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
