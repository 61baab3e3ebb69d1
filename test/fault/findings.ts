import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/** A log cut into runs at random, in any order, gives the findings of the whole log at once. */
export const findingsFigure: Figure = {
  name: "findings",
  unit: "logs",
  asked: "any cut and order gives the same findings",
  long: 1000,
  short: 2,
  perSeed: 1,
  run: async (count, seed, report) => {
    const child = new URL("findings/work.ts", import.meta.url);
    const parts = await inChildren(child, count, seed, report);
    return {
      done: parts.reduce((sum, part) => sum + part.done, 0),
      failures: parts.flatMap((part) => part.failures),
      note: parts.map(({ note }) => note).join(", "),
    };
  },
};
