import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

const liarsChild = new URL("services/liars-child.ts", import.meta.url);
const honestChild = new URL("services/honest-child.ts", import.meta.url);

/** Services that answer 200 with wrong content: nothing is called final without the events that they have. */
export const liarsFigure: Figure = {
  name: "liars",
  unit: "seeds",
  asked: "never final on less than all",
  long: 2_000,
  short: 2,
  run: async (count, seed, report) => {
    const { done, failures } = join(await inChildren(liarsChild, count, seed, report));
    const wrong = failures.filter((line) => line.includes("final on less"));
    return { done, failures, note: `${listSeeds(wrong)} final on less` };
  },
};

/** Services that say what they hold, in all styles and shapes: all is final once two reads have agreed. */
export const honestFigure: Figure = {
  name: "honest",
  unit: "seeds",
  asked: "all final after the second agreeing read",
  long: 2_000,
  short: 2,
  run: async (count, seed, report) => {
    const { done, failures } = join(await inChildren(honestChild, count, seed, report));
    return { done, failures, note: `${listSeeds(failures)} not final, or not as shown` };
  },
};

function join(parts: Awaited<ReturnType<typeof inChildren>>): {
  done: number;
  failures: string[];
} {
  const done = parts.reduce((sum, part) => sum + part.done, 0);
  return { done, failures: parts.flatMap((part) => part.failures) };
}

function listSeeds(failures: readonly string[]): number {
  return new Set(failures.map((line) => line.split(":")[0])).size;
}
