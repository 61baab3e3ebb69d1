import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { inPlace } from "./in-place.ts";
import type { Mutant } from "./place.ts";
import { laboratoryTests, type Reach } from "./reach.ts";
import { runTests, type TestRun } from "./vitest.ts";
import { isPreparedBy, testsFor, type Tree } from "./which-tests.ts";

/** Which tests noticed a mutant; if none did yet, which remain: all others, or the laboratory. */
export type Verdict = {
  readonly outcome:
    | "mirrored"
    | "others"
    | "types"
    | "waits"
    | "waits_for_laboratory"
    | "survived"
    | "same";
  /** The test file, or that it took too long. */
  readonly by?: string;
};

/** What a mutant, or several at once, are tried with. */
export type Bench = { readonly tree: Tree; readonly reach: Reach };

// Of others: some seconds of the likeliest notice most.
const likelyMs = 12_000;

// Restores the original files that a killed run left changed.
const startMs = 180_000;
const laboratoryMs = 60_000;

/**
 * Asks the test that noticed the mutant in an earlier run, then those that mirror its file, and the likeliest of the
 * others.
 */
export async function tryLikely(bench: Bench, mutant: Mutant, earlier?: string): Promise<Verdict> {
  const { mirrored, likely } = listStages(bench, mutant);
  const first = earlier !== undefined && bench.reach.durations.has(earlier) ? [earlier] : [];
  const tests = [...new Set([...first, ...mirrored, ...likely])];
  if (tests.length === 0) return { outcome: "waits_for_laboratory" };
  const by = await noticedBy(bench, mutant, tests);
  if (by === undefined) return { outcome: "waits" };
  return { outcome: mirrored.includes(by) ? "mirrored" : "others", by };
}

/** Every other test that reaches the mutant, or all of the laboratory, which goes through most of the program. */
export function askedIn(stage: Stage, bench: Bench, mutant: Mutant): readonly string[] {
  return stage === "rest" ? listStages(bench, mutant).rest : laboratoryTests(bench.tree.root);
}

/** The file of the first of these tests that notices a mutant; undefined where none does. */
export async function noticedBy(
  bench: Bench,
  mutant: Mutant,
  tests: readonly string[],
): Promise<string | undefined> {
  const run = await runWith(bench, [mutant], tests, true);
  if (run.isPassed) return undefined;
  return run.isLate ? "time" : (run.failed[0] ?? "start");
}

/** Runs tests where files are the mutants, to the end or to the first that fails. */
export async function runWith(
  { tree, reach }: Bench,
  mutants: readonly Mutant[],
  tests: readonly string[],
  bail: boolean,
): Promise<TestRun> {
  const usual = (test: string): number => reach.durations.get(test) ?? laboratoryMs;
  const limitMs = startMs + 3 * tests.reduce((sum, test) => sum + usual(test), 0);
  const isPrepared = mutants.some((mutant) => isPreparedBy(tree, reach, mutant));
  const env = isPrepared ? {} : { MUTANTS_WAREHOUSE: reach.warehouse };
  return inPlace(tree, mutants, () => runTests({ root: tree.root, tests, bail, limitMs, env }));
}

/** Whether the check of types lets a mutant pass. */
export async function isTyped({ tree }: Bench, mutant: Mutant): Promise<boolean> {
  if (!mutant.file.endsWith(".ts")) return true;
  const tsc = join("node_modules", ".bin", "tsc");
  return inPlace(tree, [mutant], async () => {
    const child = spawn(tsc, ["-p", "tsconfig.json"], { cwd: tree.root, stdio: "ignore" });
    const [code] = (await once(child, "exit")) as [number | null];
    return code === 0;
  });
}

/** What is asked of several mutants at once. */
export type Stage = "rest" | "laboratory";

type Stages = Readonly<Record<"mirrored" | "likely" | "rest", readonly string[]>>;

function listStages({ tree, reach }: Bench, mutant: Mutant): Stages {
  const { mirrored, others } = testsFor(tree, reach, mutant);
  let ms = 0;
  const isLate = (test: string): boolean => (ms += reach.durations.get(test)!) > likelyMs;
  const late = others.findIndex(isLate);
  const first = late === -1 ? others.length : Math.max(late, 1);
  return { mirrored, likely: others.slice(0, first), rest: others.slice(first) };
}
