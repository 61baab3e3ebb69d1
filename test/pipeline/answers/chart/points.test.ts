import fc from "fast-check";
import { expect, it } from "vitest";
import {
  mergeSeries,
  listGreatest,
  maxBars,
  maxMarks,
  newPointSum,
  type Point,
} from "../../../../pipeline/answers/chart/points.ts";
import type { Column } from "../../../../pipeline/base/rows/row.ts";

const columns: Column[] = [
  { name: "who", type: "VARCHAR", kind: "text" },
  { name: "n", type: "BIGINT", kind: "number" },
];
const rows = fc.array(
  fc.tuple(
    fc.constantFrom("a", "b", "c", null),
    fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constant(null)),
  ),
);

it("adds up the rows of each name, in any split", () => {
  fc.assert(
    fc.property(rows, fc.nat(20), (all, cut) => {
      const sum = newPointSum({ kind: "bars", x: "who", y: "n" }, columns)!;
      sum.add(all.slice(0, cut));
      sum.add(all.slice(cut));
      for (const name of ["a", "b", "c", null]) {
        const own = all.filter(([who]) => who === name);
        const expected = own.reduce((total, [, n]) => total + (n ?? 0), 0);
        const point = sum.points()!.find(({ x }) => x === (name ?? "none"));
        expect(point?.y).toBe(own.length === 0 ? undefined : expected);
      }
    }),
  );
});

it("counts rows where the chart names them", () => {
  const sum = newPointSum({ kind: "bars", x: "who", y: "rows" }, columns)!;
  sum.add([
    ["a", 5],
    ["a", null],
    ["b", 1],
  ]);
  expect(sum.points()).toEqual([
    { x: "a", series: null, y: 2 },
    { x: "b", series: null, y: 1 },
  ]);
});

it("draws nothing from missing columns", () => {
  expect(newPointSum({ kind: "bars", x: "where", y: "n" }, columns)).toBeUndefined();
  expect(newPointSum({ kind: "bars", x: "who", y: "m" }, columns)).toBeUndefined();
});

const point = (x: string, y: number, series: string | null = null): Point => ({ x, series, y });

it("keeps the greatest names, equal ones by name", () => {
  const points = Array.from({ length: 40 }, (_, i) => point(`p${i}`, (i * 7) % 40));
  const kept = listGreatest(points).map((name) => points.find(({ x }) => x === name)!.y);
  expect(kept).toEqual(Array.from({ length: maxBars }, (_, i) => 39 - i));
  expect(listGreatest([point("b", 1), point("a", 1)])).toEqual(["a", "b"]);
  expect(listGreatest([point("b", 2, "x"), point("a", 3, "x"), point("b", 2, "y")])).toEqual([
    "b",
    "a",
  ]);
});

it("keeps the stacked values and sources separate", () => {
  const own: Column[] = ["day", "kind", "n", "source"].map((name) => ({
    name,
    type: "VARCHAR",
    kind: "text",
  }));
  const form = { kind: "bars", x: "day", y: "n", stack: "kind" } as const;
  const sum = newPointSum(form, own)!;
  sum.add([
    ["1", "a", 2, "s"],
    ["1", "b", 3, "s"],
  ]);
  expect(sum.points()).toEqual([point("1", 2, "a"), point("1", 3, "b")]);
  sum.add([["1", "a", 4, "t"]]);
  expect(sum.points()).toEqual([
    point("1", 2, "a (s)"),
    point("1", 3, "b (s)"),
    point("1", 4, "a (t)"),
  ]);
  const { stack: _stack, ...bare } = form;
  const unstacked = newPointSum(bare, own)!;
  unstacked.add([
    ["1", "a", 2, "s"],
    ["1", "a", 4, "t"],
  ]);
  expect(unstacked.points()).toEqual([point("1", 2, "s"), point("1", 4, "t")]);
});

it("shows six series at most, the greatest first, and loses none of their sum", () => {
  const points = Array.from({ length: 9 }, (_, i) => [
    point("1", i + 1, `k${i}`),
    point("2", i + 1, `k${i}`),
  ]).flat();
  const few = mergeSeries(points);
  expect(few.series).toEqual(["k8", "k7", "k6", "k5", "k4", "others"]);
  expect(few.points.filter(({ series }) => series === "others")).toEqual([
    point("1", 10, "others"),
    point("2", 10, "others"),
  ]);
  expect(mergeSeries(points.slice(0, 12)).series).toHaveLength(6);
  expect(mergeSeries([point("1", 1)])).toEqual({ points: [point("1", 1)], series: [] });
});

it("keeps as many points as a chart can show, for any number of rows", () => {
  const along: Column[] = [{ ...columns[0]!, kind: "time" }, columns[1]!];
  const rows = (count: number): [string, number][] =>
    Array.from({ length: count }, (_, i) => [`2026-${i}`, 1]);
  for (const [count, expected] of [
    [maxMarks, maxMarks],
    [maxMarks + 1, undefined],
    [100_000, undefined],
  ] as const) {
    const sum = newPointSum({ kind: "bars", x: "who", y: "n" }, along)!;
    for (const _ of [1, 2]) sum.add(rows(count));
    expect(sum.points()?.length).toBe(expected);
    // Of names the greatest are shown.
    const names = newPointSum({ kind: "bars", x: "who", y: "n" }, columns)!;
    names.add(rows(count));
    expect(names.points()).toHaveLength(count);
  }
});

it("omits amounts beyond the range of numbers", () => {
  const sum = newPointSum({ kind: "bars", x: "who", y: "n" }, columns)!;
  sum.add([
    ["a", 1e308],
    ["a", 1e308],
    ["b", Number.NaN],
    ["c", Number.POSITIVE_INFINITY],
    ["__proto__", 1],
  ]);
  expect(sum.points()).toEqual([point("a", 1e308), point("__proto__", 1)]);
});
