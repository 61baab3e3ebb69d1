import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { lineNumber, listLines, type Mutant } from "./place.ts";
import type { Verdict } from "./trial.ts";
import type { Tree } from "./which-tests.ts";

type Outcome = Verdict["outcome"];
type Kept = Verdict & { readonly key: string };

/** The verdicts of a run, stored in a file as soon as they are known. */
export type Verdicts = {
  readonly outcomeOf: (mutant: Mutant) => Outcome | undefined;
  readonly add: (mutant: Mutant, verdict: Verdict) => void;
  /** The mutant and its verdict, for people. */
  readonly lineOf: (mutant: Mutant) => string;
};

/** Opens the verdicts of a run; what an earlier one has kept is in it. */
export function openVerdicts(path: string, { texts }: Tree): Verdicts {
  const keep = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  const kept = keep.filter((line) => line !== "").map((line) => JSON.parse(line) as Kept);
  const known = new Map<string, Verdict>(kept.map((one) => [one.key, one]));
  const readKey = ({ file, start, end, kind }: Mutant): string => `${file} ${start} ${end} ${kind}`;
  return {
    outcomeOf: (mutant) => known.get(readKey(mutant))?.outcome,
    add: (mutant, verdict) => {
      known.set(readKey(mutant), verdict);
      const lines = listLines(texts.get(mutant.file)!, mutant);
      appendFileSync(path, `${JSON.stringify({ key: readKey(mutant), ...verdict, ...lines })}\n`);
    },
    lineOf: (mutant) => {
      const { outcome, by } = known.get(readKey(mutant)) ?? {};
      const text = texts.get(mutant.file)!;
      const { from, to } = listLines(text, mutant);
      const head = `${outcome}${by === undefined ? "" : ` by ${by}`}: ${mutant.file}:${lineNumber(text, mutant)} ${mutant.kind}`;
      return isNoticed(outcome) ? head : `${head}\n  - ${from}\n  + ${to}`;
    },
  };
}

const isNoticed = (outcome: Outcome | undefined): boolean =>
  outcome === "mirrored" || outcome === "others" || outcome === "types";

/** Summarizes the outcomes of the mutants, and the share that was noticed of those that are not equivalent. */
export function buildSummary(
  mutants: readonly Mutant[],
  verdicts: Verdicts,
): { readonly text: string; readonly share: number } {
  const of = (...outcomes: readonly Outcome[]): Mutant[] =>
    mutants.filter((mutant) => outcomes.includes(verdicts.outcomeOf(mutant)!));
  const left = of("survived");
  const noticed = of("mirrored", "others", "types").length;
  const share = noticed / (noticed + left.length);
  const counts = [
    `${of("mirrored").length} by tests that mirror the file`,
    `${of("others").length} by others`,
    `${of("types").length} by types`,
    `${of("same").length} are the same`,
    `${left.length} were not noticed`,
  ];
  const lines = left.map((mutant) => verdicts.lineOf(mutant));
  const summary = `${(share * 100).toFixed(1)} % of ${noticed + left.length} noticed: ${counts.join(", ")}`;
  return { text: [...lines, summary].join("\n"), share };
}
