import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chooseMutants } from "./choose.ts";
import { copyTree } from "./copy.ts";
import { whyEquivalent } from "./equivalents.ts";
import { putBack } from "./in-place.ts";
import type { Mutant } from "./place.ts";
import { noteReach, readReach } from "./reach.ts";
import { openVerdicts, summaryOf } from "./verdicts.ts";
import { tryLikely, tryRest, type Verdict } from "./trial.ts";
import { readTree } from "./which-tests.ts";

// What `make mutants` runs: changes of random places, each tested in a copy of the tree. A run that was stopped goes
// on where it was; --fresh begins again, with the tree as it is now. Exits 1 where fewer than 95 % are noticed.
// A maintained tool would change neither SQL nor what tests start as processes of their own, which is much of both.

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
    folder: { type: "string", default: join(tmpdir(), "auditlake-mutants") },
    fresh: { type: "boolean", default: false },
  },
});
const { folder } = values;
const seed = Number(values.seed);
const root = fileURLToPath(new URL("../../", import.meta.url));
const copy = join(folder, "tree");
if (values.fresh) rmSync(folder, { recursive: true, force: true });
if (!existsSync(copy)) {
  mkdirSync(folder, { recursive: true });
  copyTree(root, copy);
}
putBack(copy);
if (readReach(folder) === undefined) {
  print("running all tests once, to note what each of them reaches");
  for (const test of await noteReach(copy, folder)) print(`not asked, since it fails: ${test}`);
}
const reach = readReach(folder)!;
const tree = readTree(copy);
const mutants = chooseMutants(copy, Number(values.count), seed);
const verdicts = openVerdicts(join(folder, `seed-${seed}.ndjson`), tree);

async function tryEach(stage: string, tryOne: (mutant: Mutant) => Promise<Verdict>): Promise<void> {
  for (const [i, mutant] of mutants.entries()) {
    const known = verdicts.outcomeOf(mutant);
    if (known !== undefined && known !== "waits") continue;
    if (known === "waits" && stage === "likely") continue;
    const same = whyEquivalent(tree.texts.get(mutant.file)!, mutant) !== undefined;
    verdicts.add(mutant, same ? { outcome: "same" } : await tryOne(mutant));
    print(`${i + 1}/${mutants.length} ${verdicts.lineOf(mutant)}`);
  }
}

// By an end in order, what a test run has started is ended, too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

print(`${mutants.length} mutants of seed ${seed}`);
await tryEach("likely", (mutant) => tryLikely(tree, reach, mutant));
await tryEach("rest", (mutant) => tryRest(tree, reach, mutant));
const { text, share } = summaryOf(mutants, verdicts);
print(text);
if (share < 0.95) process.exitCode = 1;
