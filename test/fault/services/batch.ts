import { run } from "../../support/command.ts";
import { inBed } from "../bed.ts";
import { makePlan, type Side } from "./draw.ts";
import { listIncomplete, tryRuns, type Trial } from "./trial.ts";

/** How many seeds share a home. */
export const perBatch = 40;

/** Reads the services of some seeds into one home and returns what is wrong, one line each beginning with its seed. */
export async function runBatch(seeds: readonly number[], side: Side): Promise<string[]> {
  const trials: Trial[] = [];
  const wrongTexts: string[] = [];
  await inBed(
    async (bed) => {
      for (const seed of seeds) trials.push(await tryRuns(makePlan(seed, side), bed));
    },
    async (home) => void wrongTexts.push(...(await wrongStatus(home, trials))),
  );
  const wrong = trials.flatMap(({ plan, complaints }) =>
    complaints.map((complaint) => `seed ${plan.seed}: ${complaint}`),
  );
  return [...wrong, ...wrongTexts];
}

type Status = {
  readonly sources: readonly {
    readonly source: string;
    readonly totals: { readonly final_from: string | null; readonly final_up_to: string | null };
  }[];
};

// What the command line calls final, in the end and for all services at once.
async function wrongStatus(home: string, trials: readonly Trial[]): Promise<string[]> {
  const { code, out, err } = await run(["--home", home, "status", "--json"]);
  const seed = trials[0]?.plan.seed;
  if (code !== 0) return [`seed ${seed}: status ended with ${code}: ${err}`];
  const { sources } = JSON.parse(out) as Status;
  const unread = sources.filter(({ source }) => !trials.some(({ plan }) => plan.name === source));
  if (unread.length > 0) return [`seed ${seed}: status has sources that were not read`];
  return trials.flatMap((trial) => {
    const { final_from: from, final_up_to: to } =
      sources.find(({ source }) => source === trial.plan.name)?.totals ?? {};
    if (typeof from !== "string" || typeof to !== "string") return [];
    return listIncomplete(trial, from, to).map((line) => `seed ${trial.plan.seed}: ${line}`);
  });
}
