import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";
import { perSeed } from "./identity/trial.ts";

/** Groups of like records over many reads: each is there as often as one read showed it, in whatever order they came. */
export const identityFigure: Figure = {
  name: "identity",
  unit: "groups",
  asked: "0 hidden, 0 doubled, any order and rebuild give the same",
  long: 20_000,
  short: 500,
  perSeed,
  run: async (count, seed, report) => {
    const child = new URL("identity/child.ts", import.meta.url);
    const parts = await inChildren(child, Math.ceil(count / perSeed), seed, report);
    const failures = parts.flatMap((part) => part.failures);
    const of = (word: string): number =>
      failures.filter((line) => line.includes(` ${word}: `)).length;
    const done = parts.reduce((sum, part) => sum + part.done, 0);
    return { done, failures, note: `${of("hidden")} hidden, ${of("doubled")} doubled` };
  },
};
