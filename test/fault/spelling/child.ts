import { beChild } from "../children.ts";
import { seedOf } from "../figure.ts";
import { planOf, runBatch } from "./batch.ts";

const perBatch = 50;

beChild(async ({ first, count }, report) => {
  const failures: string[] = [];
  for (let done = 0; done < count; done += perBatch) {
    const length = Math.min(perBatch, count - done);
    const plans = Array.from({ length }, (_, i) => planOf(seedOf(first, done + i)));
    failures.push(...(await runBatch(plans)));
    report(`seeds ${first} to ${first + done + length - 1}`);
  }
  return { done: count, failures };
});
