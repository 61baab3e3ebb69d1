import { playHistories } from "../queries/timeline/compare.ts";
import type { Figure } from "./figure.ts";

const policiesInHome = 50;

/**
 * Random histories of policies: changes are missing in the log, snapshots are taken at times, and the ledger has
 * coverage gaps.
 */
export const rightsFigure: Figure = {
  name: "rights",
  unit: "histories of a policy",
  asked: "each moment shows its newest evidence, by a search through all of it",
  long: 1000,
  short: 6,
  perSeed: policiesInHome,
  run: async (count, seed, report) => {
    const failures: string[] = [];
    let moments = 0;
    let done = 0;
    for (let home = 0; done < count; home++) {
      const policies = Math.min(policiesInHome, count - done);
      const { complaints, compared } = await playHistories(policies, seed + home);
      failures.push(...complaints);
      moments += compared;
      done += policies;
      report(`${done} histories`);
    }
    return { done, failures, note: `${moments.toLocaleString("en-US")} moments compared` };
  },
};
