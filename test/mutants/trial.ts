import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { inPlace } from "./in-place.ts";
import type { Mutant } from "./place.ts";
import type { Reach } from "./reach.ts";
import { runTests } from "./vitest.ts";
import { isPreparedBy, testsFor, type Tree } from "./which-tests.ts";

/** Who noticed a mutant; of one that nobody noticed yet, whether all that could have been asked. */
export type Verdict = {
  readonly outcome: "mirrored" | "others" | "types" | "waits" | "survived" | "unreached" | "same";
  /** The test file, or that it took too long. */
  readonly by?: string;
};

// Of others: some seconds of the likeliest notice most.
const likelyMs = 12_000;

// A machine may have other work: too long is what no load explains.
const startMs = 180_000;

/** Asks the tests that mirror the mutant's file, and the likeliest of the others. */
export async function tryLikely(tree: Tree, reach: Reach, mutant: Mutant): Promise<Verdict> {
  const { mirrored, likely } = stagesOf(tree, reach, mutant);
  if (mirrored.length + likely.length === 0) return { outcome: "unreached" };
  const by = await noticedBy(tree, reach, mutant, [...mirrored, ...likely]);
  if (by === undefined) return { outcome: "waits" };
  return { outcome: mirrored.includes(by) ? "mirrored" : "others", by };
}

/** Asks the check of types, and then every other test that reaches the mutant. */
export async function tryRest(tree: Tree, reach: Reach, mutant: Mutant): Promise<Verdict> {
  if (!(await isTyped(tree, mutant))) return { outcome: "types" };
  const { rest } = stagesOf(tree, reach, mutant);
  const by = rest.length === 0 ? undefined : await noticedBy(tree, reach, mutant, rest);
  return by === undefined ? { outcome: "survived" } : { outcome: "others", by };
}

type Stages = Readonly<Record<"mirrored" | "likely" | "rest", readonly string[]>>;

function stagesOf(tree: Tree, reach: Reach, mutant: Mutant): Stages {
  const { mirrored, others } = testsFor(tree, reach, mutant);
  let ms = 0;
  const isLate = (test: string): boolean => (ms += reach.durations.get(test)!) > likelyMs;
  const late = others.findIndex(isLate);
  const first = late === -1 ? others.length : Math.max(late, 1);
  return { mirrored, likely: others.slice(0, first), rest: others.slice(first) };
}

async function noticedBy(
  tree: Tree,
  reach: Reach,
  mutant: Mutant,
  tests: readonly string[],
): Promise<string | undefined> {
  const limitMs = startMs + 3 * tests.reduce((sum, test) => sum + reach.durations.get(test)!, 0);
  const env = isPreparedBy(tree, reach, mutant) ? {} : { MUTANTS_WAREHOUSE: reach.warehouse };
  const run = await inPlace(tree, mutant, () =>
    runTests({ root: tree.root, tests, bail: true, limitMs, env }),
  );
  if (run.isPassed) return undefined;
  return run.isLate ? "time" : (run.failed[0] ?? "start");
}

async function isTyped(tree: Tree, mutant: Mutant): Promise<boolean> {
  if (!mutant.file.endsWith(".ts")) return true;
  const tsc = join("node_modules", ".bin", "tsc");
  const check = ["-p", "tsconfig.json"];
  return inPlace(
    tree,
    mutant,
    async () => spawnSync(tsc, check, { cwd: tree.root, stdio: "ignore" }).status === 0,
  );
}
