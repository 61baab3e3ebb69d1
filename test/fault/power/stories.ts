import type { Measured } from "../figure.ts";
import { openStates } from "./states.ts";

/** States of one seed. */
export const statesPerStory = 50;

/** A story to be recorded, and how many states of it are to be opened. */
export type Order = { readonly seed: number; readonly states: number };

/** Records stories one after the other and opens states of each. */
export async function reportStories(
  orders: readonly Order[],
  report: (line: string) => void,
): Promise<Measured> {
  const failures: string[] = [];
  let done = 0;
  for (const { seed, states } of orders) {
    const found = await openStates(seed, states, states < statesPerStory, report);
    done += states;
    failures.push(...found);
    report(`seed ${seed}: ${states} states opened, ${found.length} failures`);
  }
  return { done, failures };
}
