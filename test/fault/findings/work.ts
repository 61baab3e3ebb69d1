import type { Work } from "../children.ts";
import { compareCuts } from "./trial.ts";

export const work: Work = async ({ first, count }, report) => {
  const failures: string[] = [];
  let findings = 0;
  for (let seed = first; seed < first + count; seed++) {
    const compared = await compareCuts(seed);
    failures.push(...compared.complaints);
    findings += compared.findings;
    report(`seed ${seed}, ${findings} findings, ${failures.length} complaints so far`);
  }
  return { done: count, failures, note: `${findings} findings` };
};
