import type { Element } from "@xmldom/xmldom";
import fc from "fast-check";
import { expect, it } from "vitest";
import { drawBars } from "../../../../pipeline/answers/chart/bars.ts";
import type { AxisChart } from "../../../../pipeline/answers/chart/chart.ts";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { anyChart, findAll, parseDrawing, readNumber } from "./drawing.ts";

type Part = {
  readonly series: number;
  readonly y: number;
  readonly height: number;
  readonly x: number;
};

/** The parts of each stack, from the bottom up. */
function readStacks(root: Element): Part[][] {
  const stacks = findAll(root, "g").filter((each) => each.hasAttribute("data-stack"));
  return stacks.map((stack) =>
    findAll(stack, "g")
      .filter((each) => each.hasAttribute("data-s"))
      .map((part) => {
        const [box] = findAll(part, "rect");
        const [x, y, height] = ["x", "y", "height"].map((name) => readNumber(box!, name));
        return { series: readNumber(part, "data-s"), x: x!, y: y!, height: height! };
      }),
  );
}

// Pixels are written to a tenth, and what is less than 0.8 is drawn as 0.8.
const rounding = 0.15;
const least = 0.8;

function sumSlot(chart: AxisChart, slot: number): number {
  return chart.series.reduce((sum, { values }) => sum + (values[slot] ?? 0), 0);
}

it("draws each part as high as its amount, and stacks of equal sums equally high", () => {
  fc.assert(
    fc.property(anyChart, (chart) => {
      const root = parseDrawing(drawBars(chart));
      const stacks = readStacks(root);
      const [axis] = findAll(root, "line", "ax");
      const bottom = readNumber(axis!, "y1") - 0.5;
      const sums = chart.slots.map((_, slot) => sumSlot(chart, slot));
      const highest = Math.max(...sums);
      if (highest === 0) return;
      // Pixels of one unit, from the highest stack as a whole.
      const top = Math.min(...stacks[sums.indexOf(highest)]!.map(({ y }) => y));
      const pixels = (bottom - top) / highest;
      for (const [slot, stack] of stacks.entries()) {
        expect(stack.map(({ series }) => series)).toEqual(
          chart.series.flatMap(({ values }, i) => ((values[slot] ?? 0) > 0 ? [i] : [])),
        );
        let below = 0;
        for (const { series, y, height, x } of stack) {
          const amount = chart.series[series]!.values[slot]!;
          expect(Math.abs(height - Math.max(least, amount * pixels))).toBeLessThan(2 * rounding);
          expect(Math.abs(y - (bottom - (below + amount) * pixels))).toBeLessThan(2 * rounding);
          below += amount;
          expect(Math.floor((x / 100) * chart.slots.length + 1e-3)).toBe(slot);
        }
      }
    }),
  );
});

it("links each slot in order, with its name, every amount above zero and the usual amount", () => {
  fc.assert(
    fc.property(anyChart, (chart) => {
      const links = findAll(parseDrawing(drawBars(chart)), "a");
      expect(links.map((link) => link.getAttribute("href"))).toEqual(
        chart.slots.map(({ href }) => href),
      );
      expect(links.map((link) => link.getAttribute("tabindex"))).toEqual(
        chart.slots.map((_, i) => (i === chart.slots.length - 1 ? "0" : "-1")),
      );
      for (const [slot, link] of links.entries()) {
        const lines = chart.series.filter(({ values }) => values[slot]! > 0).length;
        const hasUsual = chart.usual![slot] !== null && !chart.slots[slot]!.isPart;
        const label = link.getAttribute("aria-label")!;
        expect(label.match(/: /g)?.length ?? 0).toBeGreaterThanOrEqual(lines);
        expect(/usual: [^:]*$/.test(label)).toBe(hasUsual);
      }
    }),
  );
});

it("is well-formed, has only finite numbers, and stays within the drawing", () => {
  const known = new Set(["div", "svg", "g", "a", "rect", "line", "text", "defs", "pattern"]);
  fc.assert(
    fc.property(anyChart, (chart) => {
      const drawing = drawBars(chart);
      const root = parseDrawing(drawing);
      expect(findAll(root, "*").filter(({ tagName }) => !known.has(tagName))).toEqual([]);
      for (const each of findAll(root, "*"))
        for (const { name, value } of each.attributes)
          if (/^(?:[xy][12]?|width|height|dx|r)$/.test(name)) expect(value).toMatch(/^-?[\d.]+%?$/);
      expect(getMarkupText(drawing)).not.toMatch(/\son\w+=|style=/i);
    }),
  );
});

const days = ["Sat 21 Nov", "Sun 22 Nov", "Mon 23 Nov"];

it("hatches partial days, shades a weekend as one block, and compares no partial day", () => {
  const slots = days.map((name, i) => ({ name, isWeekend: i < 2, isPart: i === 2 }));
  const series = [{ name: "denials", paint: "c1" as const, values: [4, 2, 1] }];
  const root = parseDrawing(drawBars({ label: "d", slots, series, usual: [null, 3, 3] }));
  const weekends = findAll(root, "rect", "wk");
  expect(weekends).toHaveLength(1);
  expect([readNumber(weekends[0]!, "x"), readNumber(weekends[0]!, "width")]).toEqual([0, 66.667]);
  expect(findAll(root, "line", "use")).toHaveLength(1);
  const [hatched] = findAll(root, "rect", "hf");
  expect(readNumber(hatched!, "x")).toBeGreaterThan(66.6);
  const [pattern] = findAll(root, "pattern");
  const fill = (hatched!.parentNode as unknown as Element).getAttribute("fill");
  expect(fill).toBe(`url(#${pattern!.getAttribute("id")})`);
});

it("writes direct labels with leaders to their bars, in lines of their own", () => {
  const slots = days.map((name) => ({ name }));
  const series = [{ name: "denials", paint: "c1" as const, values: [4, 2, 8] }];
  const notes = [
    { slot: 0, text: "4 on Saturday", short: "4" },
    { slot: 2, text: "8 on Monday" },
  ];
  const root = parseDrawing(drawBars({ label: "d", slots, series, notes }));
  const texts = findAll(root, "text", "an");
  expect(texts.map((text) => text.textContent)).toEqual(["4 on Saturday", "4", "8 on Monday"]);
  const [first, , second] = texts.map((text) => readNumber(text, "y"));
  expect(first).not.toBe(second);
  const leaders = findAll(root, "line", "lead");
  const stacks = readStacks(root);
  expect(leaders.map((each) => readNumber(each, "y2"))).toEqual([
    stacks[0]![0]!.y - 3,
    stacks[2]![0]!.y - 3,
  ]);
});
