import { inChildren } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";
import type { Kind } from "./verify/trial.ts";

const work = new URL("verify/work.ts", import.meta.url);

async function verifyAll(
  kind: Kind,
  count: number,
  seed: number,
  report: (line: string) => void,
): Promise<Measured> {
  process.env["VERIFY_KIND"] = kind;
  const parts = await inChildren(work, count, seed, report);
  return {
    done: parts.reduce((sum, { done }) => sum + done, 0),
    failures: parts.flatMap(({ failures }) => failures),
    note: parts.map(({ note }) => note).join("; "),
  };
}

/** Changes of files, descriptions and homes; `verify` reports none of them as proven. */
export const verifyFigure: Figure = {
  name: "verify",
  unit: "mutations",
  asked: "none called proven",
  long: 1000,
  short: 8,
  perSeed: 1,
  run: (count, seed, report) => verifyAll("mutations", count, seed, report),
};

/** Changes that do not affect an exported file: all are proven. */
export const harmlessFigure: Figure = {
  name: "verify harmless",
  unit: "harmless changes",
  asked: "all called proven",
  long: 200,
  short: 3,
  perSeed: 1,
  run: (count, seed, report) => verifyAll("harmless", count, seed, report),
};
