import pLimit from "p-limit";
import { makeSeed, type Figure, type Measured } from "./figure.ts";
import { newTestbed, verbs, type Length, type Lengths, type Verb } from "./testbed.ts";
import { readLength } from "./kill-moment.ts";
import { phases } from "./kill-phase.ts";
import { killRound, type Tale } from "./kill-round.ts";
import { lastError } from "./process.ts";

const killsPerHome = 20;
const homesAtOnce = 2;

/** SIGKILL at random moments of the verbs that write, on homes that are then run to their end and compared. */
export const killFigure: Figure = {
  name: "kill",
  unit: "kills",
  asked: "0 lost, 0 doubled, 0 that will not open, 0 stale locks, reports whole",
  long: 1000,
  short: 1,
  perSeed: killsPerHome,
  run,
};

async function run(count: number, seed: number, report: (line: string) => void): Promise<Measured> {
  const homes = Math.ceil(count / killsPerHome);
  const usual = await usualLengths(seed, Math.min(homes, homesAtOnce));
  const durations = verbs.map(
    (v) => `${v} ${usual[v].ms.toFixed(0)} ms, ${usual[v].changes} changes`,
  );
  report(`undisturbed: ${durations.join("; ")}`);
  const limit = pLimit(homesAtOnce);
  let done = 0;
  const tales = await Promise.all(
    Array.from({ length: homes }, (_, i) =>
      limit(async () => {
        const own = makeSeed(seed, i);
        const kills = Math.min(killsPerHome, count - i * killsPerHome);
        const tale = await killRound(own, kills, usual);
        done += tale.kills.length;
        const failures = tale.failures.map((failure) => `seed ${own}: ${failure}`);
        for (const failure of failures) report(failure);
        report(`${done} of ${count} kills, home of seed ${own} compared`);
        return { ...tale, failures };
      }),
    ),
  );
  return { done, failures: tales.flatMap(({ failures }) => failures), note: getNote(tales) };
}

// As many at once as there will be later.
async function usualLengths(seed: number, homes: number): Promise<Lengths> {
  const measure = async (): Promise<Record<Verb, Length>> => {
    await using bed = await newTestbed(seed, 1);
    bed.grow();
    const lengths: Partial<Record<Verb, Length>> = {};
    for (const verb of verbs) {
      const { ended, ...length } = await readLength(bed, verb);
      if (ended.code !== 0) throw new Error(`${verb} without a kill: ${lastError(ended)}`);
      lengths[verb] = length;
    }
    return lengths as Record<Verb, Length>;
  };
  return (await Promise.all(Array.from({ length: homes }, measure)))[0]!;
}

function getNote(tales: readonly Tale[]): string {
  const kills = tales.flatMap((tale) => tale.kills);
  const count = (names: readonly string[], of: (kill: (typeof kills)[number]) => string): string =>
    names.map((name) => `${kills.filter((kill) => of(kill) === name).length} ${name}`).join(", ");
  const drafts = tales.reduce((sum, tale) => sum + tale.drafts, 0);
  const torn = tales.reduce((sum, tale) => sum + tale.torn, 0);
  return `${count(verbs, ({ verb }) => verb)}; ${count(phases, ({ phase }) => phase)}; ${drafts} drafts of reports left over; ${torn} databases torn within a write and moved aside`;
}
