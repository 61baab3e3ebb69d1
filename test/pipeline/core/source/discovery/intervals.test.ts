import { expect, it } from "vitest";
import {
  listIntervals,
  detectOrder,
  areSameRecords,
  type SeenRecord,
  selectWithin,
} from "../../../../../pipeline/core/source/discovery/read-answer.ts";

const at = (...seconds: (number | undefined)[]): SeenRecord[] =>
  seconds.map((s, i) => ({ text: `r${i}`, ms: s === undefined ? undefined : s * 1000 }));
const texts = (...all: string[]): SeenRecord[] => all.map((text) => ({ text, ms: 0 }));

it("lists are equal if each text occurs as often, in any order", () => {
  expect(areSameRecords(texts("a", "b", "a"), texts("a", "a", "b"))).toBe(true);
  expect(areSameRecords([], [])).toBe(true);
  for (const other of [
    ["a", "b"],
    ["a", "b", "b"],
    ["a", "a", "b", "b"],
    ["a", "a", "c"],
  ])
    expect(areSameRecords(texts("a", "b", "a"), texts(...other))).toBe(false);
});

it("a window includes its start and excludes its end", () => {
  const found = selectWithin(at(1, 2, 3, 4, undefined), { startMs: 2000, endMs: 4000 });
  expect(found.map(({ text }) => text)).toEqual(["r1", "r2"]);
});

it("records rise, fall, or have no order", () => {
  for (const rising of [[], [1], [1, 1], [1, 1, 2]])
    expect(detectOrder(at(...rising))).toBe("rising");
  expect(detectOrder(at(2, 1, 1))).toBe("falling");
  for (const none of [
    [1, 3, 2],
    [2, 1, 3],
    [1, undefined],
    [undefined, 1],
  ])
    expect(detectOrder(at(...none))).toBeUndefined();
});

type Edges = readonly (readonly [from: number, to: number])[];

it.each<[seconds: (number | undefined)[], most: number, edges: Edges]>([
  [[], 8, []],
  [[1], 8, []],
  [[1, 2], 8, []],
  [[1, 2, 3], 8, [[2, 3]]],
  [[3, undefined, 2, 2, 1.9], 8, [[2, 3]]],
  [[2, 4, 3, 1, 5], 1, [[2, 5]]],
  // Two seconds for each window, but as few as are asked for; the last ends right after its last second.
  [
    [1, 2, 3, 4, 5, 6],
    8,
    [
      [2, 4],
      [4, 6],
    ],
  ],
  [[1, 2, 3, 4, 5, 6], 1, [[2, 6]]],
  [
    [1, 2, 3, 4, 5, 6, 7],
    8,
    [
      [2, 4],
      [4, 7],
    ],
  ],
  [
    [1, 2, 3, 4, 5, 6, 7, 8],
    2,
    [
      [2, 5],
      [5, 8],
    ],
  ],
  [[1, 2, 3, 4, 6, 7], 1, [[2, 7]]],
  // Where seconds are missing in the second half, no window ends where the next record is.
  [[1, 2, 3, 4, 5, 7, 8], 1, [[2, 6]]],
  [[1, 2, 3, 4, 6, 7, 8], 1, [[2, 8]]],
  [[1, 2, 3, 4, 5, 6, 8], 1, [[2, 7]]],
  [[1, 3, 4, 5, 6, 7, 8], 1, [[3, 8]]],
])("seconds %j give at most %i windows: %j", (seconds, most, edges) => {
  const found = listIntervals(at(...seconds), most);
  expect(found.map(({ startMs, endMs }) => [startMs / 1000, endMs / 1000])).toEqual(edges);
});
