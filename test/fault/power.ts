import { inChildren } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";
import { needTracer } from "./power/record.ts";
import { statesPerStory, reportStories } from "./power/stories.ts";

/**
 * Power cuts: everything that commands do to the files of a home is recorded. Disks are made with what was synced at
 * some moment, and a random part of the rest.
 */
export const powerFigure: Figure = {
  name: "power",
  unit: "states",
  asked: "nothing lost that was reported, 0 doubled, the published file opens, the next run heals",
  long: 1000,
  short: 2,
  perSeed: statesPerStory,
  run,
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  needTracer();
  if (count <= statesPerStory) return reportStories([{ seed, states: count }], report);
  const child = new URL("power/work.ts", import.meta.url);
  const parts = await inChildren(child, Math.ceil(count / statesPerStory), seed, report);
  return {
    done: parts.reduce((sum, part) => sum + part.done, 0),
    failures: parts.flatMap((part) => part.failures),
    note: `of ${Math.ceil(count / statesPerStory)} recorded stories`,
  };
}
