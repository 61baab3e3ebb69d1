import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newRandom, type Random } from "../../fixtures/random.ts";
import { codeChanges } from "./code-changes.ts";
import { changeText, type Change, type Mutant } from "./place.ts";
import { queryChanges } from "./query-changes.ts";
import { parse } from "./tree.ts";

type Source = { readonly file: string; readonly text: string };

/**
 * Chooses different mutants of the files below `pipeline/` and `queries/`: files in proportion to their length, in each
 * the kinds of change alike. A longer choice of one seed begins with the shorter.
 */
export function chooseMutants(root: string, count: number, seed: number): Mutant[] {
  const random = newRandom(seed, "mutants");
  const sources = globSync("{pipeline/**/*.ts,queries/**/*.sql}", { cwd: root })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const chosen = new Map<string, Mutant>();
  while (chosen.size < count) {
    const source = atLength(sources, random);
    const change = oneOf(source, random);
    if (change === undefined || !isProgram(source, change)) continue;
    chosen.set(`${source.file} ${change.start} ${change.kind}`, { file: source.file, ...change });
  }
  return [...chosen.values()];
}

function atLength(sources: readonly Source[], random: Random): Source {
  const total = sources.reduce((sum, { text }) => sum + text.length, 0);
  let left = random.int(0, total - 1);
  return sources.find(({ text }) => (left -= text.length) < 0)!;
}

/** The changes that could be made of a file. */
export function readChanges({ file, text }: Source): Change[] {
  return (isQuery(file) ? queryChanges : codeChanges)(text);
}

function oneOf(source: Source, random: Random): Change | undefined {
  const changes = readChanges(source);
  if (changes.length === 0) return undefined;
  const kind = random.pick([...new Set(changes.map((change) => change.kind))]);
  return random.pick(changes.filter((change) => change.kind === kind));
}

// `a && b ?? c` is not valid.
function isProgram({ file, text }: Source, change: Change): boolean {
  if (isQuery(file)) return true;
  try {
    parse(changeText(text, change));
    return true;
  } catch {
    return false;
  }
}

const isQuery = (file: string): boolean => file.endsWith(".sql");
