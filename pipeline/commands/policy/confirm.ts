import { createInterface } from "node:readline";
import type { World } from "../../world.ts";

/** Asks on the terminal; true only for `y` or `yes`. The end of input and Ctrl-C mean no. */
export async function confirm(question: string, world: World): Promise<boolean> {
  const lines = createInterface({ input: world.stdin, terminal: false });
  world.stderr.write(`${question} [y/N] `);
  try {
    const answer = await new Promise<string>((resolve) => {
      const end = (): void => resolve("");
      lines.once("line", resolve).once("close", end);
      world.signal.addEventListener("abort", end, { once: true });
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
