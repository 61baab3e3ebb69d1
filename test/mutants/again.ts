import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readChanges } from "./choose.ts";
import { listLines, type Mutant } from "./place.ts";

/** A mutant that an earlier run tried; `by` is the test that noticed it there. */
export type Former = {
  readonly key: string;
  readonly by?: string;
  readonly from: string;
  readonly to: string;
};

/** The mutants of an earlier run whose changed lines still exist, and those whose lines were deleted. */
export type Again = {
  readonly mutants: readonly Mutant[];
  readonly gone: readonly Former[];
  /** The test that noticed a mutant then. */
  readonly formerOf: ReadonlyMap<Mutant, string>;
};

/** Reads the verdicts of an earlier run, and finds its changes in the present tree. */
export function mutantsAgain(root: string, path: string): Again {
  const mutants = new Map<string, Mutant>();
  const gone: Former[] = [];
  const formerOf = new Map<Mutant, string>();
  for (const former of lastOfEach(readFileSync(path, "utf8"))) {
    const mutant = sameChange(root, former);
    if (mutant === undefined) {
      gone.push(former);
      continue;
    }
    mutants.set(`${mutant.file} ${mutant.start} ${mutant.end} ${mutant.kind}`, mutant);
    if (former.by !== undefined) formerOf.set(mutant, former.by);
  }
  return { mutants: [...mutants.values()], gone, formerOf };
}

/** Formats the deleted lines for people. */
export function tellGone(gone: readonly Former[]): string {
  const lines = gone.map(({ key, from, to }) => `gone: ${key}\n  - ${from}\n  + ${to}`);
  return [...lines, `${gone.length} are gone and were not tried`].join("\n");
}

function lastOfEach(text: string): readonly Former[] {
  const lines = text.split("\n").filter((line) => line !== "");
  const all = lines.map((line) => JSON.parse(line) as Former);
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

// Of several same lines the one nearest to the old place.
function sameChange(root: string, { key, from, to }: Former): Mutant | undefined {
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
