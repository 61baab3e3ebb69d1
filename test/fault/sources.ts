import { inChildren } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";

const anyChild = new URL("sources/work.ts", import.meta.url);
const forgetfulChild = new URL("sources/forgetful-work.ts", import.meta.url);

/** Simulated sources that are read over several runs: what is stored is what they showed. */
export const sourcesFigure: Figure = {
  name: "sources",
  unit: "seeds",
  asked: "0 lost, 0 doubled",
  long: 10_000,
  short: 2,
  run: async (count, seed, report) => join(await inChildren(anyChild, count, seed, report)),
};

/** Sources that forget some events of a window between its reads, with equal records on several pages. */
export const forgetfulFigure: Figure = {
  name: "forgetful",
  unit: "seeds",
  asked: "0 lost, 0 doubled",
  long: 2_000,
  short: 2,
  run: async (count, seed, report) => join(await inChildren(forgetfulChild, count, seed, report)),
};

function join(parts: readonly Measured[]): Measured {
  const failures = parts.flatMap((part) => part.failures);
  const lost = failures.filter((line) => line.endsWith("lost")).length;
  const doubled = failures.filter((line) => line.endsWith("doubled")).length;
  const done = parts.reduce((sum, part) => sum + part.done, 0);
  return { done, failures, note: `${lost} lost, ${doubled} doubled` };
}
