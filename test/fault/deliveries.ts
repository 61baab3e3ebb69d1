import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/**
 * Daily deliveries that are interrupted, lose answers, are refused and killed, compared with what the destination has
 * received.
 */
export const deliveriesFigure: Figure = {
  name: "deliveries",
  unit: "histories",
  asked: "over five days no row twice, none missing, each refused row reported",
  long: 1_000,
  short: 2,
  run: async (count, seed, report) => {
    const child = new URL("deliveries/work.ts", import.meta.url);
    const parts = await inChildren(child, count, seed, report);
    const failures = parts.flatMap((part) => part.failures);
    const done = parts.reduce((sum, part) => sum + part.done, 0);
    return { done, failures };
  },
};
