import { beChild } from "../children.ts";
import { seedOf } from "../figure.ts";
import { runBatch } from "./batch.ts";

const perBatch = 40;

beChild(async ({ first, count }, report) => {
  const failures: string[] = [];
  for (let done = 0; done < count; done += perBatch) {
    const length = Math.min(perBatch, count - done);
    failures.push(...(await runBatch(Array.from({ length }, (_, i) => seedOf(first, done + i)))));
    report(`seeds ${first} to ${first + done + length - 1}`);
  }
  return { done: count, failures };
});
