import { createInterface } from "node:readline";
import type { World } from "../world.ts";

/** What asks where somebody can be asked, and takes silence for no elsewhere. */
export function askOnTerminal(world: World): (question: string) => Promise<boolean> {
  return (question) =>
    world.stdin.isTTY === true ? confirm(question, world) : Promise.resolve(false);
}

/** Asks on the terminal; true only for `y` or `yes`. The end of input and Ctrl-C mean no. */
export async function confirm(question: string, world: World): Promise<boolean> {
  // Reading lines as they are leaves Ctrl-C to the terminal, which makes a signal of it.
  const lines = createInterface({ input: world.stdin, terminal: false });
  world.stderr.write(`${question} [y/N] `);
  try {
    const answer = await new Promise<string | undefined>((resolve) => {
      const end = (): void => resolve(undefined);
      lines.once("line", resolve).once("close", end);
      world.signal.addEventListener("abort", end, { once: true });
    });
    // Nobody ended the line of the question, unless Ctrl-C did on a terminal.
    const isEnded = world.signal.aborted && world.stderr.isTTY === true;
    if (answer === undefined && !isEnded) world.stderr.write("\n");
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  } finally {
    lines.close();
  }
}
