import { inChildren } from "./children.ts";
import type { Figure, Measured } from "./figure.ts";
import { makeSeed } from "./figure.ts";
import type { Kind } from "./verify/trial.ts";

const child = new URL("verify/child.ts", import.meta.url);

async function verifyAll(
  kind: Kind,
  count: number,
  seed: number,
  report: (line: string) => void,
): Promise<Measured> {
  const parts = await (count < 10
    ? inProcess(kind, count, seed)
    : inOthers(kind, count, seed, report));
  return {
    done: parts.reduce((sum, { done }) => sum + done, 0),
    failures: parts.flatMap(({ failures }) => failures),
    note: parts.map(({ note }) => note).join("; "),
  };
}

async function inProcess(kind: Kind, count: number, first: number): Promise<readonly Measured[]> {
  const { verifyChanged } = await import("./verify/trial.ts");
  const seeds = Array.from({ length: count }, (_, i) => makeSeed(first, i));
  const { complaints, results } = await verifyChanged(kind, seeds, () => undefined);
  const note = [...results].map(([result, times]) => `${times} ${result}`).join(", ");
  return [{ done: count, failures: complaints, note }];
}

function inOthers(
  kind: Kind,
  count: number,
  seed: number,
  report: (line: string) => void,
): Promise<readonly Measured[]> {
  process.env["VERIFY_KIND"] = kind;
  return inChildren(child, count, seed, report);
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
