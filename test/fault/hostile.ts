import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/** Statements that try to harm the published file, the machine or the process that asks. */
export const hostileFigure: Figure = {
  name: "sql",
  unit: "hostile statements",
  asked: "no file changed, parent alive, stopped within limit + 3 s",
  // Those of hostile.sql; the long form adds two calls of each function that the database has.
  long: 2_379,
  short: 221,
  run: async (count, seed, tell) => {
    const parts = await inChildren(new URL("hostile/child.ts", import.meta.url), count, seed, tell);
    const longestMs = Math.max(...parts.map((part) => Number(part.note)));
    return {
      done: parts.reduce((sum, part) => sum + part.done, 0),
      failures: parts.flatMap((part) => part.failures),
      note: `stopped at most ${longestMs.toLocaleString("en-US")} ms after the limit`,
    };
  },
};
