import fc from "fast-check";
import { expect, it } from "vitest";
import { newLinearScale, newLogScale, roundTop } from "../../../../pipeline/answers/chart/scale.ts";

it("ends an axis at the smallest round number that no amount exceeds", () => {
  const tops = [0, 1, 2, 7, 9, 11, 41, 85, 100, 101, 2400].map((amount) => roundTop(amount));
  expect(tops).toEqual([1, 1, 2, 8, 10, 15, 50, 100, 100, 150, 2500]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 53 - 1 }), (amount) => {
      const top = roundTop(amount);
      expect(top).toBeGreaterThanOrEqual(amount);
      expect(top).toBeLessThanOrEqual(amount * 1.5 + 1e-9);
      const digits = String(Math.round(top)).replace(/0+$/, "");
      expect(["1", "15", "2", "25", "3", "4", "5", "6", "8"]).toContain(digits);
    }),
  );
});

it("has ticks at 0, the half and the top, and no fractions of a count", () => {
  expect(newLinearScale([41]).ticks).toEqual([0, 25, 50]);
  expect(newLinearScale([1]).ticks).toEqual([0, 1]);
  expect(newLinearScale([3]).ticks).toEqual([0, 3]);
  expect(newLinearScale([14]).ticks).toEqual([0, 15]);
  expect(newLinearScale([0.5, 1.2]).ticks).toEqual([0, 0.75, 1.5]);
  expect(newLinearScale([95], "seconds").ticks).toEqual([0, 60, 120]);
  expect(newLinearScale([]).ticks).toEqual([0, 1]);
  expect(newLinearScale([-3, 5]).ticks).toEqual([-3, 0, 5]);
});

it("has ticks at powers of ten on a logarithmic scale, and at units for bytes", () => {
  expect(newLogScale([200, 3e10], "bytes").ticks).toEqual([1e3, 1e6, 1e9]);
  expect(newLogScale([2, 900]).ticks).toEqual([1, 10, 100, 1000]);
  expect(newLogScale([2e4, 9e4], "bytes").ticks).toEqual([1e4, 1e5]);
});

it("places equal ratios at equal distances, and nothing at the bottom", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 2 ** 53 - 1 }), { minLength: 1 }), (amounts) => {
      const { place } = newLogScale([...amounts, 0]);
      expect(place(0)).toBe(0);
      for (const amount of amounts) {
        expect(place(amount)).toBeGreaterThan(0);
        expect(place(amount)).toBeLessThan(1);
        if (amount >= 10 && amounts.includes(1))
          expect(place(amount) - place(amount / 10)).toBeCloseTo(place(10) - place(1));
      }
    }),
  );
});
