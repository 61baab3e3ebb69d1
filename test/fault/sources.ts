import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/** Simulated sources read over several nights: what is stored is what they showed. */
export const sourcesFigure: Figure = {
  name: "sources",
  unit: "seeds",
  asked: "0 lost, 0 doubled",
  long: 10_000,
  short: 3,
  run: async (count, seed, report) => {
    const child = new URL("sources/child.ts", import.meta.url);
    const parts = await inChildren(child, count, seed, report);
    const failures = parts.flatMap((part) => part.failures);
    const lost = failures.filter((line) => line.endsWith("lost")).length;
    const doubled = failures.filter((line) => line.endsWith("doubled")).length;
    const done = parts.reduce((sum, part) => sum + part.done, 0);
    return { done, failures, note: `${lost} lost, ${doubled} doubled` };
  },
};
