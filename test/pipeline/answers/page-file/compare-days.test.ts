import fc from "fast-check";
import { expect, test } from "vitest";
import {
  compareDay,
  compareWeek,
  moveDay,
} from "../../../../pipeline/answers/page-file/compare-days.ts";

// Days are numbers here, counted from a Monday; the oracle knows no calendar.
const first = "2026-11-02";
const dayText = (n: number): string => moveDay(first, n);

const amounts = fc.array(fc.nat(9), { minLength: 1, maxLength: 45 });
const parts = fc.uniqueArray(fc.nat(44), { maxLength: 12 });

test("a day is compared with complete ones of the same weekday in the four weeks before", () => {
  fc.assert(
    fc.property(amounts, parts, (all, part) => {
      const last = all.length - 1;
      const same = [7, 14, 21, 28]
        .map((back) => last - back)
        .filter((n) => n >= 0 && !part.includes(n))
        .map((n) => all[n]!);
      const found = compareDay(
        { days: all.map((_, n) => dayText(n)), amounts: all },
        dayText(last),
        (day) => !part.some((n) => dayText(n) === day),
      );
      expect(found.value).toBe(all[last]);
      expect(found.earlier).toEqual(same);
      if (same.length < 2) expect(found.verdict).toBeUndefined();
      else {
        const sorted = same.toSorted((a, b) => a - b);
        expect(found.range).toEqual({ low: sorted[0], high: sorted.at(-1) });
        const isAbove = same.every((each) => each < found.value);
        const isBelow = same.every((each) => each > found.value);
        expect(found.verdict).toBe(isAbove ? "above" : isBelow ? "below" : "usual");
      }
    }),
  );
});

test("a week is compared with the three complete weeks before", () => {
  fc.assert(
    fc.property(amounts, parts, (all, part) => {
      const last = all.length - 1;
      const week = (back: number): number[] =>
        Array.from({ length: 7 }, (_, i) => last - 7 * back - i);
      const total = (days: number[]): number => days.reduce((sum, n) => sum + (all[n] ?? 0), 0);
      const before = [1, 2, 3]
        .map(week)
        .filter((days) => days.every((n) => n >= 0 && !part.includes(n)))
        .map(total);
      const found = compareWeek(
        { days: all.map((_, n) => dayText(n)), amounts: all },
        dayText(last),
        (day) => !part.some((n) => dayText(n) === day),
      );
      expect(found.value).toBe(total(week(0)));
      expect(found.range).toEqual(
        before.length < 2 ? undefined : { low: Math.min(...before), high: Math.max(...before) },
      );
    }),
  );
});
