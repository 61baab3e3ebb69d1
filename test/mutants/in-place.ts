import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changed, type Mutant } from "./place.ts";
import type { Tree } from "./which-tests.ts";

type Kept = { readonly file: string; readonly text: string };

const keptIn = (root: string): string => join(root, "original.json");

/** Does something in the tree while a file is the mutant, and puts the original back. */
export async function inPlace<T>(
  { root, texts }: Tree,
  mutant: Mutant,
  work: () => Promise<T>,
): Promise<T> {
  const kept: Kept = { file: mutant.file, text: texts.get(mutant.file)! };
  writeFileSync(keptIn(root), JSON.stringify(kept));
  writeFileSync(join(root, mutant.file), changed(kept.text, mutant));
  try {
    return await work();
  } finally {
    putBack(root);
  }
}

/** Puts the original back that a run left changed which was killed. */
export function putBack(root: string): void {
  const path = keptIn(root);
  if (!existsSync(path)) return;
  const { file, text } = JSON.parse(readFileSync(path, "utf8")) as Kept;
  writeFileSync(join(root, file), text);
  rmSync(path);
}
