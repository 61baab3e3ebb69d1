import { inBed } from "../bed.ts";
import { makePlan } from "./plan.ts";
import { tryRuns } from "./trial.ts";

/** How many seeds share a home. */
export const perBatch = 40;

/** What is wrong with the sources of some seeds, one line each beginning with its seed. */
export function runBatch(seeds: readonly number[]): Promise<string[]> {
  return inBed(async (bed) => {
    const wrong: string[] = [];
    for (const seed of seeds)
      for (const line of await tryRuns(makePlan(seed), bed)) wrong.push(`seed ${seed}: ${line}`);
    return wrong;
  });
}
