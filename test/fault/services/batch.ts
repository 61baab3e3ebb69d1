import { inBed } from "../bed.ts";
import { planOf, type Side } from "./draw.ts";
import { tryNights } from "./trial.ts";

/** Reads the services of some seeds into one home and returns what is wrong, one line each beginning with its seed. */
export async function runBatch(seeds: readonly number[], side: Side): Promise<string[]> {
  return inBed(async (bed) => {
    const failures: string[] = [];
    for (const seed of seeds)
      for (const complaint of await tryNights(planOf(seed, side), bed))
        failures.push(`seed ${seed}: ${complaint}`);
    return failures;
  });
}
