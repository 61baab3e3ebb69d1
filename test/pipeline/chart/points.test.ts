import fc from "fast-check";
import { expect, it } from "vitest";
import { greatest, maxBars, maxMarks, newPointSum } from "../../../pipeline/chart/points.ts";
import type { Column } from "../../../pipeline/rows/row.ts";

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

it("adds up the rows of each name, however they are split", () => {
  fc.assert(
    fc.property(rows, fc.nat(20), (all, cut) => {
      const sum = newPointSum({ kind: "bar", x: "who", y: "n" }, columns)!;
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
  const sum = newPointSum({ kind: "bar", x: "who", y: "rows" }, columns)!;
  sum.add([
    ["a", 5],
    ["a", null],
    ["b", 1],
  ]);
  expect(sum.points()).toEqual([
    { x: "a", y: 2 },
    { x: "b", y: 1 },
  ]);
});

it("draws nothing from columns that are not there", () => {
  expect(newPointSum({ kind: "bar", x: "where", y: "n" }, columns)).toBeUndefined();
  expect(newPointSum({ kind: "bar", x: "who", y: "m" }, columns)).toBeUndefined();
});

it("keeps the greatest, equal ones by name", () => {
  const points = Array.from({ length: 40 }, (_, i) => ({ x: `p${i}`, y: (i * 7) % 40 }));
  const kept = greatest(points);
  expect(kept.map(({ y }) => y)).toEqual(Array.from({ length: maxBars }, (_, i) => 39 - i));
  expect(
    greatest([
      { x: "b", y: 1 },
      { x: "a", y: 1 },
    ]).map(({ x }) => x),
  ).toEqual(["a", "b"]);
});

it("holds as many points as a chart can, and no more, however many rows come", () => {
  const along: Column[] = [{ ...columns[0]!, kind: "time" }, columns[1]!];
  const rows = (count: number): [string, number][] =>
    Array.from({ length: count }, (_, i) => [`2026-${i}`, 1]);
  for (const [count, expected] of [
    [maxMarks, maxMarks],
    [maxMarks + 1, undefined],
    [100_000, undefined],
  ] as const) {
    const sum = newPointSum({ kind: "bar", x: "who", y: "n" }, along)!;
    for (const _ of [1, 2]) sum.add(rows(count));
    expect(sum.points()?.length).toBe(expected);
    // Of names the greatest are shown.
    const names = newPointSum({ kind: "bar", x: "who", y: "n" }, columns)!;
    names.add(rows(count));
    expect(names.points()).toHaveLength(count);
  }
});

it("leaves out what goes beyond the numbers there are", () => {
  const sum = newPointSum({ kind: "bar", x: "who", y: "n" }, columns)!;
  sum.add([
    ["a", 1e308],
    ["a", 1e308],
    ["b", Number.NaN],
    ["c", Number.POSITIVE_INFINITY],
    ["__proto__", 1],
  ]);
  expect(sum.points()).toEqual([
    { x: "a", y: 1e308 },
    { x: "__proto__", y: 1 },
  ]);
});
