import { beChild } from "../children.ts";
import { groupsFor, perSeed, tryOrders } from "./trial.ts";

// The share is counted in seeds.
beChild(async ({ first, count }, tell) => {
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const complaints = await tryOrders(groupsFor(seed), seed);
    failures.push(...complaints.map((complaint) => `seed ${seed}: ${complaint}`));
    tell(`seed ${seed}, ${failures.length} complaints so far`);
  }
  return { done: count * perSeed, failures };
});
