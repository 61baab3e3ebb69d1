import fc from "fast-check";
import { expect, it } from "vitest";
import {
  computeUsual,
  isFarAbove,
  listWeeksBefore,
} from "../../../../pipeline/answers/chart/usual.ts";

it("takes the median of the same weekday over four weeks before, from two values on", () => {
  const daily = Array.from({ length: 36 }, (): number | null => 999);
  for (const [week, amount] of [10, 30, 20, 90, 50, 1].entries()) daily[7 * week] = amount;
  const usual = [0, 7, 14, 21, 28, 35].map((day) => computeUsual(daily, day));
  expect(usual).toEqual([null, null, 20, 20, 25, 40]);
});

it("does not compare with a partial day", () => {
  const daily = Array.from({ length: 29 }, (): number | null => 5);
  daily[7] = null;
  daily[14] = null;
  expect(listWeeksBefore(daily, 28)).toEqual([5, 5]);
  daily[0] = null;
  expect(computeUsual(daily, 28)).toBeNull();
});

it("is between the smallest and the greatest of the weeks before", () => {
  const amounts = fc.array(fc.option(fc.double({ min: 0, noNaN: true })), {
    minLength: 1,
    maxLength: 60,
  });
  fc.assert(
    fc.property(amounts, fc.nat(59), (daily, day) => {
      const before = [7, 14, 21, 28].flatMap((back) => daily[day - back] ?? []);
      const usual = computeUsual(daily, day);
      expect(usual === null).toBe(before.length < 2);
      if (usual === null) return;
      expect(usual).toBeGreaterThanOrEqual(Math.min(...before));
      expect(usual).toBeLessThanOrEqual(Math.max(...before));
      expect(before.filter((each) => each < usual).length).toBeLessThanOrEqual(before.length / 2);
      expect(before.filter((each) => each > usual).length).toBeLessThanOrEqual(before.length / 2);
    }),
  );
});

it("is far exceeded by 1.7 times as much, and by 10 at least", () => {
  expect([9, 10, 17, 16, 100].map((amount) => isFarAbove(amount, 5))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect([isFarAbove(17, 10), isFarAbove(16, 10), isFarAbove(50, null)]).toEqual([
    true,
    false,
    false,
  ]);
});
