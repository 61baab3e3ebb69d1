import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

type Facts = { readonly whole: number; readonly refused: number; readonly longestMs: number };

/** Windows read over connections that break in every way: complete or refused, never partial, never without end. */
export const httpFigure: Figure = {
  name: "http",
  unit: "seeded runs",
  asked: "no hang past its limit, no wrong success",
  long: 2_000,
  short: 50,
  run: async (count, seed, report) => {
    const parts = await inChildren(new URL("http/work.ts", import.meta.url), count, seed, report);
    const facts = parts.map((part) => JSON.parse(part.note ?? "{}") as Facts);
    const sum = (of: (fact: Facts) => number): number => facts.reduce((all, f) => all + of(f), 0);
    const longestMs = Math.round(Math.max(...facts.map((fact) => fact.longestMs)));
    return {
      done: parts.reduce((all, part) => all + part.done, 0),
      failures: parts.flatMap((part) => part.failures),
      note: `${sum((f) => f.whole)} read whole, ${sum((f) => f.refused)} refused, longest ${longestMs} ms`,
    };
  },
};
