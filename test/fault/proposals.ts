import { playCompanies } from "../pipeline/answers/access/play.ts";
import type { Figure } from "./figure.ts";

const inHome = 50;

/** Random companies: the least rights that are proposed, and the replay, against a table of uses. */
export const proposalsFigure: Figure = {
  name: "proposals",
  unit: "companies",
  asked:
    "no recent use would be denied, nothing unused is kept, the replay counts what the table of uses says",
  long: 1000,
  short: 10,
  perSeed: inHome,
  run: async (count, seed, report) => {
    const failures: string[] = [];
    let [done, uses, denied] = [0, 0, 0];
    for (let home = 0; done < count; home++) {
      const companies = Math.min(inHome, count - done);
      const played = await playCompanies(companies, seed + home);
      failures.push(...played.complaints);
      done += companies;
      uses += played.uses;
      denied += played.denied;
      report(`${done} companies`);
    }
    return { done, failures, note: `${uses} uses, ${denied} of them outside the proposals` };
  },
};
