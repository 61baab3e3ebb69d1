import fc from "fast-check";
import { expect, it } from "vitest";
import { greatest, maxBars, newPointSum } from "../../../pipeline/chart/points.ts";
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
        const point = sum.points().find(({ x }) => x === (name ?? "none"));
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
