import { newBed } from "./bed.ts";
import { newExportBed } from "./export-bed.ts";
import { judgeExports } from "./export-judge.ts";
import { judge } from "./judge.ts";
import { makePlan, type Plan } from "./plan.ts";

/** Plays a history on a home and a destination of its own; returns what was untrue of it. */
export async function play(plan: Plan): Promise<string[]> {
  if (plan.verb === "export") {
    await using bed = await newExportBed(plan.destination, plan.batch);
    return await judgeExports(plan, bed);
  }
  await using bed = await newBed(plan.destination, plan.batch);
  return await judge(plan, bed);
}

/** Plays the histories of some seeds, one after the other. */
export async function playSeeds(seeds: readonly number[]): Promise<string[]> {
  const failures: string[] = [];
  for (const seed of seeds) failures.push(...(await play(makePlan(seed))));
  return failures;
}
