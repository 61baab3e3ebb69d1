import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readChanges } from "./choose.ts";
import { listLines, type Mutant } from "./place.ts";

/** A mutant that an earlier run tried; `by` is the test that noticed it there. */
export type EarlierMutant = {
  readonly key: string;
  readonly by?: string;
  readonly from: string;
  readonly to: string;
};

/** The mutants of an earlier run whose changed lines still exist, and those whose lines were deleted. */
export type Again = {
  readonly mutants: readonly Mutant[];
  readonly deleted: readonly EarlierMutant[];
  /** The test that noticed a mutant then. */
  readonly earlierTests: ReadonlyMap<Mutant, string>;
};

/** Reads the verdicts of an earlier run, and finds its changes in the present tree. */
export function mutantsAgain(root: string, path: string): Again {
  const mutants = new Map<string, Mutant>();
  const deleted: EarlierMutant[] = [];
  const earlierTests = new Map<Mutant, string>();
  for (const earlier of lastOfEach(readFileSync(path, "utf8"))) {
    const mutant = sameChange(root, earlier);
    if (mutant === undefined) {
      deleted.push(earlier);
      continue;
    }
    mutants.set(`${mutant.file} ${mutant.start} ${mutant.end} ${mutant.kind}`, mutant);
    if (earlier.by !== undefined) earlierTests.set(mutant, earlier.by);
  }
  return { mutants: [...mutants.values()], deleted, earlierTests };
}

/** Formats the deleted lines for people. */
export function formatDeleted(deleted: readonly EarlierMutant[]): string {
  const lines = deleted.map(({ key, from, to }) => `deleted: ${key}\n  - ${from}\n  + ${to}`);
  return [...lines, `${deleted.length} were deleted and not tried`].join("\n");
}

function lastOfEach(text: string): readonly EarlierMutant[] {
  const lines = text.split("\n").filter((line) => line !== "");
  const all = lines.map((line) => JSON.parse(line) as EarlierMutant);
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

// Of several same lines the one nearest to the old place.
function sameChange(root: string, { key, from, to }: EarlierMutant): Mutant | undefined {
  const [, file, at, kind] = /^(\S+) (\d+) \d+ (.*)$/.exec(key)!;
  const path = join(root, file!);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  const isSame = (lines: ReturnType<typeof listLines>): boolean =>
    lines.from === from && lines.to === to;
  const distance = ({ start }: { readonly start: number }): number => Math.abs(start - Number(at));
  const [found] = readChanges({ file: file!, text })
    .filter((change) => change.kind === kind && isSame(listLines(text, change)))
    .toSorted((a, b) => distance(a) - distance(b));
  return found === undefined ? undefined : { file: file!, ...found };
}
