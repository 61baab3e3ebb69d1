import { beChild } from "../children.ts";
import { makeSeed } from "../figure.ts";
import { type Kind, verifyChanged } from "./trial.ts";

beChild(async ({ first, count }, report) => {
  const seeds = Array.from({ length: count }, (_, i) => makeSeed(first, i));
  const kind = process.env["VERIFY_KIND"] as Kind;
  const { complaints, results } = await verifyChanged(kind, seeds, report);
  const note = [...results].map(([result, times]) => `${times} ${result}`).join(", ");
  return { done: count, failures: complaints, note };
});
