import type { Mutant } from "./place.ts";
import {
  askedIn,
  isTyped,
  noticedBy,
  runWith,
  type Bench,
  type Stage,
  type Verdict,
} from "./trial.ts";

// Mutants that few tests detect separately are tried together: all tests take minutes for one change or ten. A
// failing test is then run for each mutant alone. One mutant may hide another, which is rare. The laboratory is run
// for the remaining ones, of which it detects few.
const most = { rest: 10, laboratory: 30 } as const;

/** Groups of mutants, each of another file, so that those which reach as many tests are together. */
export function listGroups(
  mutants: readonly Mutant[],
  stage: Stage,
  costOf: (mutant: Mutant) => number,
): readonly (readonly Mutant[])[] {
  const groups: Mutant[][] = [];
  for (const mutant of mutants.toSorted((a, b) => costOf(a) - costOf(b))) {
    const isOpen = (group: Mutant[]): boolean =>
      group.length < most[stage] && group.every(({ file }) => file !== mutant.file);
    const group = groups.find(isOpen);
    if (group === undefined) groups.push([mutant]);
    else group.push(mutant);
  }
  return groups;
}

type Report = (mutant: Mutant, verdict: Verdict) => void;

/** Runs the check of types, and then every test of a stage; reports each verdict as soon as it is known. */
export async function tryTogether(
  bench: Bench,
  mutants: readonly Mutant[],
  stage: Stage,
  report: Report,
): Promise<void> {
  const typed = stage === "rest" ? await readTyped(bench, mutants, report) : mutants;
  const suspects = await readSuspects(bench, typed, stage);
  for (const mutant of typed) {
    const tests = askedIn(stage, bench, mutant).filter((test) => suspects.has(test));
    const by = tests.length === 0 ? undefined : await noticedBy(bench, mutant, tests);
    if (by !== undefined) report(mutant, { outcome: "others", by });
    else report(mutant, { outcome: stage === "rest" ? "waits_for_laboratory" : "survived" });
  }
}

async function readTyped(
  bench: Bench,
  mutants: readonly Mutant[],
  report: Report,
): Promise<Mutant[]> {
  const typed: Mutant[] = [];
  for (const mutant of mutants)
    if (await isTyped(bench, mutant)) typed.push(mutant);
    else report(mutant, { outcome: "types" });
  return typed;
}

// Where a run with all of them says nothing of its tests, each mutant is asked all of its own. What the laboratory takes
// is not noted, and so not whether it passes where nothing is changed: that is asked of what fails.
async function readSuspects(
  bench: Bench,
  mutants: readonly Mutant[],
  stage: Stage,
): Promise<ReadonlySet<string>> {
  const tests = [...new Set(mutants.flatMap((mutant) => askedIn(stage, bench, mutant)))];
  const isNoted = stage === "rest";
  if (tests.length === 0 || (isNoted && mutants.length < 2)) return new Set(tests);
  const run = await runWith(bench, mutants, tests, false);
  if (run.isPassed) return new Set();
  const isNoticed = !run.isLate && run.failed.length > 0;
  const failed = isNoticed ? run.failed : tests;
  const unchanged = isNoted ? [] : (await runWith(bench, [], failed, false)).failed;
  return new Set(failed).difference(new Set(unchanged));
}
