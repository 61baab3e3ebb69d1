import type { Share } from "../children.ts";
import { seedOf, type Measured } from "../figure.ts";
import { runBatch } from "./batch.ts";
import type { Side } from "./draw.ts";

const perBatch = 40;

/** Works on a share of the seeds, batch by batch. */
export async function workOn(
  side: Side,
  { first, count }: Share,
  report: (line: string) => void,
): Promise<Measured> {
  const failures: string[] = [];
  for (let done = 0; done < count; done += perBatch) {
    const length = Math.min(perBatch, count - done);
    const seeds = Array.from({ length }, (_, i) => seedOf(first, done + i));
    failures.push(...(await runBatch(seeds, side)));
    report(`seeds ${seeds[0]} to ${seeds.at(-1)}, ${failures.length} complaints so far`);
  }
  return { done: count, failures };
}
