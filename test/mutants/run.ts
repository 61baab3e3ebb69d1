import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutantsAgain, formatDeleted, type Again } from "./again.ts";
import { chooseMutants } from "./choose.ts";
import { copyTree } from "./copy.ts";
import { whyEquivalent } from "./equivalents.ts";
import { putBack } from "./in-place.ts";
import type { Mutant } from "./place.ts";
import { noteReach, readReach } from "./reach.ts";
import { listLanes } from "./lanes.ts";
import { listGroups, tryTogether } from "./together.ts";
import { askedIn, tryLikely, type Stage, type Verdict } from "./trial.ts";
import { openVerdicts, buildSummary } from "./verdicts.ts";
import { readTree } from "./which-tests.ts";

// Runs `make mutants`: changes of random places, each tested in a copy of the tree. A stopped run resumes; --fresh
// starts over, with the present tree. With --again FILE, the verdicts of an earlier run, it repeats the changes of
// that one. Exits 1 if fewer than 95 % are detected. Maintained tools change neither SQL nor processes that tests
// start, which are much of the code.

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
    folder: { type: "string", default: join(tmpdir(), "auditlake-mutants") },
    again: { type: "string" },
    fresh: { type: "boolean", default: false },
  },
});
const { again, folder } = values;
if (values.fresh && again !== undefined && resolve(again).startsWith(join(resolve(folder), sep)))
  throw new Error(`${again} is in ${folder}, which --fresh empties: copy the file elsewhere first`);
const seed = Number(values.seed);
const root = fileURLToPath(new URL("../../", import.meta.url));
const copies = Array.from({ length: Number(values.jobs) }, (_, i) => join(folder, `tree-${i}`));
const [first] = copies;
if (values.fresh) rmSync(folder, { recursive: true, force: true });
for (const copy of copies) {
  if (!existsSync(copy)) {
    mkdirSync(folder, { recursive: true });
    if (copy === first) copyTree(root, copy);
    else cpSync(first!, copy, { recursive: true, verbatimSymlinks: true });
  }
  putBack(copy);
}
if (readReach(folder) === undefined) {
  print("running all tests once, to note what each of them reaches");
  for (const test of await noteReach(first!, folder)) print(`not asked, since it fails: ${test}`);
}
const reach = readReach(folder)!;
const trees = copies.map(readTree);
const inLane = listLanes(trees);
const choose = (): Again => {
  const mutants = chooseMutants(first!, Number(values.count), seed);
  return { mutants, deleted: [], earlierTests: new Map() };
};
const { mutants, deleted, earlierTests } =
  again === undefined ? choose() : mutantsAgain(first!, again);
const name = again === undefined ? `seed-${seed}` : `again-${basename(again, ".ndjson")}`;
const verdicts = openVerdicts(join(folder, `${name}.ndjson`), trees[0]!);

function report(mutant: Mutant, verdict: Verdict): void {
  verdicts.add(mutant, verdict);
  print(`${mutants.indexOf(mutant) + 1}/${mutants.length} ${verdicts.lineOf(mutant)}`);
}

async function tryFirst(mutant: Mutant): Promise<void> {
  if (verdicts.outcomeOf(mutant) !== undefined) return;
  const same = whyEquivalent(trees[0]!.texts.get(mutant.file)!, mutant) !== undefined;
  const verdict = same
    ? undefined
    : await inLane((tree) => tryLikely({ tree, reach }, mutant, earlierTests.get(mutant)));
  report(mutant, verdict ?? { outcome: "same" });
}

async function tryAll(outcome: Verdict["outcome"], stage: Stage): Promise<void> {
  const left = mutants.filter((mutant) => verdicts.outcomeOf(mutant) === outcome);
  const getCost = (mutant: Mutant): number =>
    askedIn(stage, { tree: trees[0]!, reach }, mutant).reduce(
      (ms, test) => ms + (reach.durations.get(test) ?? 0),
      0,
    );
  const tries = listGroups(left, stage, getCost).map((group) =>
    inLane((tree) => tryTogether({ tree, reach }, group, stage, report)),
  );
  await Promise.all(tries);
}

// After an orderly end, the started test runs are ended, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

print(`${mutants.length} mutants of ${again ?? `seed ${seed}`}`);
await Promise.all(mutants.map(tryFirst));
await tryAll("waits", "rest");
await tryAll("waits_for_laboratory", "laboratory");
const { text, share } = buildSummary(mutants, verdicts);
if (again !== undefined) print(formatDeleted(deleted));
print(text);
if (share < 0.95) process.exitCode = 1;
