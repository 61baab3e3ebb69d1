import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

const misbehavingChild = new URL("services/misbehaving-work.ts", import.meta.url);
const wellBehavedChild = new URL("services/well-behaved-work.ts", import.meta.url);

/** Services that answer 200 with wrong content: no window is finalized without the events that they have. */
export const misbehavingFigure: Figure = {
  name: "misbehaving-sources",
  unit: "seeds",
  asked: "no window is finalized while incomplete",
  long: 2_000,
  short: 2,
  run: async (count, seed, report) => {
    const { done, failures } = join(await inChildren(misbehavingChild, count, seed, report));
    const wrong = failures.filter((line) => line.includes("finalized while incomplete"));
    return { done, failures, note: `${listSeeds(wrong)} finalized while incomplete` };
  },
};

/** Services that state what they have, in all styles and shapes: everything is final once two reads have agreed. */
export const wellBehavedFigure: Figure = {
  name: "well-behaved-sources",
  unit: "seeds",
  asked: "all windows are finalized after the second equal read",
  long: 2_000,
  short: 2,
  run: async (count, seed, report) => {
    const { done, failures } = join(await inChildren(wellBehavedChild, count, seed, report));
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
