import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changeText, type Mutant } from "./place.ts";
import type { Tree } from "./which-tests.ts";

type Kept = { readonly file: string; readonly text: string };

const keptIn = (root: string): string => join(root, "original.json");

/** Does something in the tree while files are the mutants, no two of one file, and puts the originals back. */
export async function inPlace<T>(
  { root, texts }: Tree,
  mutants: readonly Mutant[],
  work: () => Promise<T>,
): Promise<T> {
  const kept: Kept[] = mutants.map(({ file }) => ({ file, text: texts.get(file)! }));
  writeFileSync(keptIn(root), JSON.stringify(kept));
  for (const [i, mutant] of mutants.entries())
    writeFileSync(join(root, mutant.file), changeText(kept[i]!.text, mutant));
  try {
    return await work();
  } finally {
    putBack(root);
  }
}

/** Puts the originals back that a run left changed which was killed. */
export function putBack(root: string): void {
  const path = keptIn(root);
  if (!existsSync(path)) return;
  for (const { file, text } of JSON.parse(readFileSync(path, "utf8")) as Kept[])
    writeFileSync(join(root, file), text);
  rmSync(path);
}
