import { readFileSync } from "node:fs";
import { listLines, type Mutant } from "./place.ts";

/** A change without an observable effect: the line, its new text, and the reason. */
type Equivalent = {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
};

export const equivalents = JSON.parse(
  readFileSync(new URL("equivalents.json", import.meta.url), "utf8"),
) as readonly Equivalent[];

/** Why a mutant does what the original does; undefined where it is not listed as such. */
export function whyEquivalent(text: string, mutant: Mutant): string | undefined {
  const { from, to } = listLines(text, mutant);
  return equivalents.find((one) => one.file === mutant.file && one.from === from && one.to === to)
    ?.why;
}
