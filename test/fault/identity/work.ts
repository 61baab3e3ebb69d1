import type { Work } from "../children.ts";
import { groupsFor, perSeed, tryOrders } from "./trial.ts";

// The share is counted in seeds.
export const work: Work = async ({ first, count }, report) => {
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const complaints = await tryOrders(groupsFor(seed), seed);
    failures.push(...complaints.map((complaint) => `seed ${seed}: ${complaint}`));
    report(`seed ${seed}, ${failures.length} complaints so far`);
  }
  return { done: count * perSeed, failures };
};
