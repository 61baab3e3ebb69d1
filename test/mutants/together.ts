import type { Mutant } from "./place.ts";
import { isTyped, noticedBy, restOf, runWith, type Bench, type Verdict } from "./trial.ts";

// What few tests notice one by one is tried in company: all tests take minutes, whether one place is changed or ten.
// A test that fails then is asked again of each mutant alone. That one mutant hides another is possible, and rare.
const most = 10;

/** Groups of mutants, each of another file, so that those which reach as many tests are together. */
export function groupsOf(
  mutants: readonly Mutant[],
  costOf: (mutant: Mutant) => number,
): readonly (readonly Mutant[])[] {
  const groups: Mutant[][] = [];
  for (const mutant of mutants.toSorted((a, b) => costOf(a) - costOf(b))) {
    const isOpen = (group: Mutant[]): boolean =>
      group.length < most && group.every(({ file }) => file !== mutant.file);
    const group = groups.find(isOpen);
    if (group === undefined) groups.push([mutant]);
    else group.push(mutant);
  }
  return groups;
}

/** Asks the check of types, and then every test that nobody asked yet; tells each verdict as soon as it is known. */
export async function tryRest(
  bench: Bench,
  mutants: readonly Mutant[],
  tell: (mutant: Mutant, verdict: Verdict) => void,
): Promise<void> {
  const typed: Mutant[] = [];
  for (const mutant of mutants)
    if (await isTyped(bench, mutant)) typed.push(mutant);
    else tell(mutant, { outcome: "types" });
  const suspects = await suspectsOf(bench, typed);
  for (const mutant of typed) {
    const tests = restOf(bench, mutant).filter((test) => suspects.has(test));
    const by = tests.length === 0 ? undefined : await noticedBy(bench, mutant, tests);
    tell(mutant, by === undefined ? { outcome: "survived" } : { outcome: "others", by });
  }
}

// Where a run with all of them says nothing of its tests, each mutant is asked all of its own.
async function suspectsOf(bench: Bench, mutants: readonly Mutant[]): Promise<ReadonlySet<string>> {
  const tests = [...new Set(mutants.flatMap((mutant) => restOf(bench, mutant)))];
  if (mutants.length < 2 || tests.length === 0) return new Set(tests);
  const run = await runWith(bench, mutants, tests, false);
  if (run.isPassed) return new Set();
  const isTold = !run.isLate && run.failed.length > 0;
  return new Set(isTold ? run.failed : tests);
}
