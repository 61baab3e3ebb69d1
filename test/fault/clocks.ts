import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

const child = new URL("clocks/work.ts", import.meta.url);

/** Sources of which one run has wrong clocks, before an outage: all that the service has is stored, and no window is finalized while incomplete. */
export const clocksFigure: Figure = {
  name: "clocks",
  unit: "seeds",
  asked: "0 lost, none finalized while incomplete, all finalized in the end",
  long: 1_000,
  short: 1,
  run: async (count, seed, report) => {
    const parts = await inChildren(child, count, seed, report);
    const done = parts.reduce((sum, part) => sum + part.done, 0);
    return { done, failures: parts.flatMap(({ failures }) => failures) };
  },
};
