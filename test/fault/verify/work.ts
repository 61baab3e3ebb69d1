import type { Work } from "../children.ts";
import { makeSeed } from "../figure.ts";
import { makeBed } from "./bed.ts";
import { type Kind, verifyChanged } from "./trial.ts";

export const work: Work = async ({ first, count }, report) => {
  const seeds = Array.from({ length: count }, (_, i) => makeSeed(first, i));
  const kind = process.env["VERIFY_KIND"] as Kind;
  using bed = await makeBed();
  const { complaints, results } = await verifyChanged(kind, seeds, bed, report);
  const note = [...results].map(([result, times]) => `${times} ${result}`).join(", ");
  return { done: count, failures: complaints, note };
};
