import type { Element } from "@xmldom/xmldom";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newPointSum } from "../../../../../pipeline/answers/chart/points.ts";
import { drawFigure } from "../../../../../pipeline/answers/report/render/figure.ts";
import type { Column, Row } from "../../../../../pipeline/base/rows/row.ts";
import { findAll, hostileName, parseDrawing } from "../../chart/drawing.ts";

const columns: Column[] = [
  { name: "day", type: "DATE", kind: "time" },
  { name: "kind", type: "VARCHAR", kind: "text" },
  { name: "n", type: "BIGINT", kind: "number" },
];
const dayMs = 86_400_000;
const firstMs = Date.UTC(2026, 1, 2);
const getDay = (day: number): string => new Date(firstMs + day * dayMs).toISOString().slice(0, 10);

const kinds = fc.uniqueArray(hostileName, { minLength: 1, maxLength: 9 });
// Rows as a report has them: one per day and kind, in any order, with days that have none.
const anyRows = kinds.chain((names) =>
  fc.uniqueArray(
    fc.record({
      day: fc.nat(40),
      kind: fc.constantFrom(...names),
      n: fc.integer({ min: 1, max: 9999 }),
    }),
    { minLength: 2, maxLength: 120, selector: ({ day, kind }) => JSON.stringify([day, kind]) },
  ),
);
const partDays = fc.uniqueArray(fc.nat(45), { maxLength: 3 });

type Case = readonly { readonly day: number; readonly kind: string; readonly n: number }[];

function drawRows(
  rows: Case,
  parts: readonly number[],
  lastDay: string,
  panels?: "below" | "alone",
): Element {
  const chart = {
    kind: "bars",
    x: "day",
    y: "n",
    stack: "kind",
    usual: "weekday",
    unit: "count",
  } as const;
  const sum = newPointSum(chart, columns)!;
  sum.add(rows.map(({ day, kind, n }): Row => [getDay(day), kind, BigInt(n)]));
  const isPartDay = (x: string): boolean => parts.some((part) => getDay(part) === x);
  const about = { title: "T", facts: [], chart, isPartDay, lastDay };
  const getHref = (x: string): string => `/events?since=${x}`;
  return parseDrawing(
    drawFigure(about, columns, sum.points(), { getHref, ...(panels && { panels }) })!,
  );
}

function sumOf(rows: Case): number {
  return rows.reduce((total, { n }) => total + n, 0);
}

const readCount = (text: string | null): number => Number((text ?? "").replaceAll(",", ""));

it("has a place for each day of the range, with links in order and the sums of the rows", () => {
  fc.assert(
    fc.property(anyRows, partDays, fc.nat(45), (rows, parts, end) => {
      const root = drawRows(rows, parts, getDay(end));
      const [first, last] = [
        Math.min(...rows.map(({ day }) => day)),
        Math.max(...rows.map(({ day }) => day)),
      ];
      const areWeekly =
        new Set(rows.map(({ day }) => day % 7)).size === 1 &&
        new Set(rows.map(({ day }) => day)).size > 3;
      const areMonthly =
        new Set(rows.map(({ day }) => day)).size > 3 &&
        rows.every(({ day }) => getDay(day).endsWith("-01"));
      if (areWeekly || areMonthly) return;
      const days = Array.from({ length: Math.max(last, end) - first + 1 }, (_, i) => first + i);
      const links = findAll(root, "a");
      expect(links.map((link) => link.getAttribute("href"))).toEqual(
        days.map((day) => `/events?since=${getDay(day)}`),
      );
      const totals = findAll(root, "b").map((each) => readCount(each.textContent));
      const kindsThere = new Set(rows.map(({ kind }) => kind)).size;
      if (kindsThere > 1) {
        expect(totals).toHaveLength(Math.min(6, kindsThere));
        expect(totals.reduce((a, b) => a + b, 0)).toBe(sumOf(rows));
        const own = kindsThere > 6 ? totals.slice(0, -1) : totals;
        expect(own).toEqual(own.toSorted((a, b) => b - a));
      }
      const stacks = findAll(root, "g").filter((each) => each.hasAttribute("data-stack"));
      for (const [i, day] of days.entries()) {
        const there = rows.filter((row) => row.day === day).length;
        const drawn = findAll(stacks[i]!, "g").filter((each) => each.hasAttribute("data-s")).length;
        if (kindsThere <= 6) expect(drawn).toBe(there);
        else expect(drawn).toBeLessThanOrEqual(there);
        const isHatched = findAll(stacks[i]!, "rect", "hf").length === 1;
        expect(isHatched).toBe(parts.includes(day) && there > 0);
      }
    }),
  );
});

it("marks as usual the median of the same weekday of complete days, missing days being 0", () => {
  fc.assert(
    fc.property(anyRows, partDays, (rows, parts) => {
      const root = drawRows(rows, parts, getDay(40));
      const links = findAll(root, "a");
      const first = Math.min(...rows.map(({ day }) => day));
      if (links.length !== 41 - first) return;
      const whole = (day: number): number[] =>
        day < first || parts.includes(day) ? [] : [sumOf(rows.filter((row) => row.day === day))];
      for (const [i, link] of links.entries()) {
        const day = first + i;
        const before = [7, 14, 21, 28]
          .flatMap((back) => whole(day - back))
          .toSorted((a, b) => a - b);
        const middle = [before[(before.length - 1) >> 1]!, before[before.length >> 1]!];
        const expected =
          before.length < 2 || parts.includes(day) ? undefined : (middle[0]! + middle[1]!) / 2;
        const [, shown] = / usual: ([\d.,]+)$/.exec(link.getAttribute("aria-label")!) ?? [];
        if (expected === undefined) expect(shown).toBeUndefined();
        else
          expect(Math.abs(readCount(shown!) - expected)).toBeLessThanOrEqual(expected * 0.005 + 1);
      }
    }),
  );
});

it("draws more than three kinds side by side as well, each with its own sum", () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const root = drawRows(rows, [], getDay(40), "below");
      const panels = findAll(root, "div", "card");
      const sums = new Map<string, number>();
      for (const { kind, n } of rows) sums.set(kind, (sums.get(kind) ?? 0) + n);
      if (sums.size < 4) expect(panels).toEqual([]);
      if (sums.size < 4) return;
      const totals = panels.map((panel) => {
        const [text] = findAll(panel, "span", "muted");
        return readCount(/[\d,]+/.exec(text!.textContent!)![0]);
      });
      expect(totals.reduce((a, b) => a + b, 0)).toBe(sumOf(rows));
      if (sums.size <= 6) expect(totals).toEqual([...sums.values()].toSorted((a, b) => b - a));
    }),
  );
});
