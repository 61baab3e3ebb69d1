import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { listLanes } from "./lanes.ts";
import type { Mutant } from "./place.ts";
import { listGroups } from "./together.ts";
import type { Tree } from "./which-tests.ts";

const readMutant = (file: string, start: number): Mutant => ({
  file,
  start,
  end: start + 1,
  kind: "number",
  instead: "2",
});

it("tries mutants together that are in different files and reach as many tests, ten at most", () => {
  const mutants = Array.from({ length: 25 }, (_, i) => readMutant(`f${i % 12}`, 25 - i));
  const groups = listGroups(mutants, "rest", ({ start }) => start);
  expect(groups.flat()).toHaveLength(25);
  expect(new Set(groups.flat()).size).toBe(25);
  for (const group of groups) {
    expect(group.length).toBeLessThanOrEqual(10);
    expect(new Set(group.map(({ file }) => file)).size).toBe(group.length);
  }
  expect(groups[0]!.map(({ start }) => start)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

it("never gives one tree to two runs at a time", async () => {
  const trees = ["a", "b"].map((root): Tree => ({ root, texts: new Map() }));
  const inLane = listLanes(trees);
  const busy = new Set<string>();
  const used: string[] = [];
  await Promise.all(
    Array.from({ length: 9 }, (_, i) =>
      inLane(async ({ root }) => {
        expect(busy.has(root)).toBe(false);
        busy.add(root);
        used.push(root);
        await delay(i % 3);
        busy.delete(root);
        if (i === 4) throw new Error("one that fails");
      }).catch(() => undefined),
    ),
  );
  expect(used).toHaveLength(9);
  expect(new Set(used)).toEqual(new Set(["a", "b"]));
});
