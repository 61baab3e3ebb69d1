import { inChildren } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";
import { groupsFor, perSeed, tryOrders } from "./identity/trial.ts";

/** Groups of equal records over many reads: each is stored as often as one read showed it, in any order. */
export const identityFigure: Figure = {
  name: "identity",
  unit: "groups",
  asked: "0 hidden, 0 doubled, any order and rebuild give the same",
  long: 20_000,
  short: 6,
  perSeed,
  run: async (count, seed, report) => {
    if (count < perSeed) return fewGroups(count, seed);
    const child = new URL("identity/work.ts", import.meta.url);
    const parts = await inChildren(child, Math.ceil(count / perSeed), seed, report);
    const failures = parts.flatMap((part) => part.failures);
    const of = (word: string): number =>
      failures.filter((line) => line.includes(` ${word}: `)).length;
    const done = parts.reduce((sum, part) => sum + part.done, 0);
    return { done, failures, note: `${of("hidden")} hidden, ${of("doubled")} doubled` };
  },
};

// Fewer than a seed contains, read in two orders.
async function fewGroups(count: number, seed: number): Promise<Measured> {
  const complaints = await tryOrders(groupsFor(seed, count), seed, 2);
  return { done: count, failures: complaints.map((complaint) => `seed ${seed}: ${complaint}`) };
}
