import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/** Logs that are read twice, the second time written otherwise: nothing is new and nothing missing. */
export const spellingFigure: Figure = {
  name: "spelling",
  unit: "seeds",
  asked: "read again in another spelling, 0 new and 0 missing",
  long: 2_000,
  short: 4,
  run: async (count, seed, report) => {
    const child = new URL("spelling/work.ts", import.meta.url);
    const parts = await inChildren(child, count, seed, report);
    const failures = parts.flatMap((part) => part.failures);
    const done = parts.reduce((sum, part) => sum + part.done, 0);
    return { done, failures, note: `${failures.length} taken for others` };
  },
};
