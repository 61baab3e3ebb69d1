import type { Work } from "../children.ts";
import { makeSeed } from "../figure.ts";
import { playSeeds } from "./trial.ts";

export const work: Work = async ({ first, count }, report) => {
  const failures: string[] = [];
  for (let done = 0; done < count; done++) {
    failures.push(...(await playSeeds([makeSeed(first, done)])));
    if ((done + 1) % 25 === 0) report(`seeds ${first} to ${first + done}`);
  }
  return { done: count, failures };
};
