import type { Share } from "../children.ts";
import { type Measured, seedOf } from "../figure.ts";
import { runBatch } from "./batch.ts";
import type { Plan } from "./plan.ts";

const perBatch = 40;

/** Reads a share of the seeds, some at a time in one home; `planOf` makes the plan of each. */
export async function workOn(
  planOf: (seed: number) => Plan,
  { first, count }: Share,
  report: (line: string) => void,
): Promise<Measured> {
  const failures: string[] = [];
  for (let done = 0; done < count; done += perBatch) {
    const length = Math.min(perBatch, count - done);
    const plans = Array.from({ length }, (_, i) => planOf(seedOf(first, done + i)));
    failures.push(...(await runBatch(plans)));
    report(`seeds ${first} to ${first + done + length - 1}`);
  }
  return { done: count, failures };
}
