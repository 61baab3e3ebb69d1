import pLimit from "p-limit";
import type { Tree } from "./which-tests.ts";

/** Gives each piece of work a tree that no other has at the time, as soon as one is free. */
export function listLanes(
  trees: readonly Tree[],
): <T>(work: (tree: Tree) => Promise<T>) => Promise<T> {
  const limit = pLimit(trees.length);
  const free = [...trees];
  return (work) =>
    limit(async () => {
      const tree = free.pop()!;
      try {
        return await work(tree);
      } finally {
        free.push(tree);
      }
    });
}
