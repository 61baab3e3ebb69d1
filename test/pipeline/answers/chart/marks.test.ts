import fc from "fast-check";
import { expect, it } from "vitest";
import type { Dots } from "../../../../pipeline/answers/chart/chart.ts";
import { drawDots } from "../../../../pipeline/answers/chart/dots.ts";
import { drawHeat, drawHeatLegend } from "../../../../pipeline/answers/chart/heat.ts";
import { drawLegend } from "../../../../pipeline/answers/chart/draw-chart.ts";
import { drawLine } from "../../../../pipeline/answers/chart/line.ts";
import { drawRanking } from "../../../../pipeline/answers/chart/ranking.ts";
import { drawShare } from "../../../../pipeline/answers/chart/scale.ts";
import { drawSparkline } from "../../../../pipeline/answers/chart/sparkline.ts";
import { anyChart, findAll, hostileName, parseDrawing, readNumber } from "./drawing.ts";

const amount = fc.integer({ min: 0, max: 1_000_000 });
const anyDays = fc.array(amount, { minLength: 1, maxLength: 40 });

it("draws a dot above the middle of its slot, higher for more, none for zero on a logarithmic scale", () => {
  fc.assert(
    fc.property(anyChart, fc.boolean(), (chart, isLog) => {
      const dots: Dots = isLog ? { ...chart, scale: "log" } : chart;
      const circles = findAll(parseDrawing(drawDots(dots)), "circle");
      const drawn = chart.series.flatMap(({ values }) =>
        values.flatMap((value, slot) =>
          (value ?? 0) > 0 || !isLog ? [{ value: value!, slot }] : [],
        ),
      );
      expect(circles).toHaveLength(drawn.length);
      const placed = drawn.map(({ value, slot }, i) => {
        const x = readNumber(circles[i]!, "cx");
        expect(Math.abs(x - ((slot + 0.5) / chart.slots.length) * 100)).toBeLessThan(0.001);
        return { value, y: readNumber(circles[i]!, "cy") };
      });
      const sorted = placed.toSorted((a, b) => a.value - b.value);
      for (const [i, { y }] of sorted.entries())
        if (i > 0) expect(y).toBeLessThanOrEqual(sorted[i - 1]!.y);
    }),
  );
});

it("draws a line through the amounts of complete days, and a pale point for a partial day", () => {
  const slots = [0, 1, 2, 3].map((day) => ({ name: `day ${day}`, isPart: day === 3 }));
  const series = [{ name: "n", paint: "c1" as const, values: [0, 10, 5, 2] }];
  const root = parseDrawing(drawLine({ label: "n", slots, series, height: 132 }));
  const [path] = findAll(root, "path", "ln");
  // From 10 to 110 pixels: the axis is 22 above the end, the plot begins at 10.
  expect(path!.getAttribute("d")).toBe("M0.5 110.0L1.5 10.0L2.5 60.0");
  const circles = findAll(root, "circle");
  expect(circles.map((each) => each.getAttribute("fill-opacity"))).toEqual([
    null,
    null,
    null,
    ".45",
  ]);
});

it("interrupts a line where data is missing", () => {
  const slots = ["a", "b", "c"].map((name) => ({ name }));
  const series = [{ name: "n", paint: "c1" as const, values: [1, null, 1] }];
  const [path] = findAll(parseDrawing(drawLine({ label: "n", slots, series })), "path");
  expect(path!.getAttribute("d")!.match(/[ML]/g)).toEqual(["M", "M"]);
});

it("shades cells in six steps of the greatest amount, with none for zero and missing", () => {
  const cells = [[0, 1, 10, 11, 59, 60, null]];
  const columns = cells[0]!.map((_, i) => String(i));
  const heat = {
    label: "h",
    columns,
    rows: ["Mon"],
    cells,
    getHref: (r: number, c: number) => `/${r}/${c}`,
  };
  const links = findAll(parseDrawing(drawHeat(heat)), "a");
  const steps = links.map((link) => findAll(link, "rect")[0]!.getAttribute("class"));
  expect(steps).toEqual(["q0", "q1", "q1", "q2", "q6", "q6", "q0"]);
  expect(links[3]!.getAttribute("href")).toBe("/0/3");
  expect(links[3]!.getAttribute("aria-label")).toBe("Mon, 3 11");
  expect(parseDrawing(drawHeatLegend(heat)).textContent).toMatch(/0\s+60/);
});

it("colours a sparkline: findings, the compared days, the same weekdays before, the rest", () => {
  fc.assert(
    fc.property(anyDays, fc.nat(39), fc.constantFrom(1, 7), (values, day, length) => {
      const marked = values.length > 20 ? [3] : [];
      const chart = { label: "s", values, compared: day, length, marked, height: 34 };
      const columns = findAll(parseDrawing(drawSparkline(chart)), "rect");
      expect(columns).toHaveLength(values.length);
      const most = Math.max(...values);
      for (const [i, column] of columns.entries()) {
        const expected = most === 0 ? 0 : (values[i]! / most) * 32;
        expect(readNumber(column, "height")).toBeGreaterThanOrEqual(expected - 0.06);
        expect(readNumber(column, "height")).toBeLessThanOrEqual(Math.max(1.5, expected) + 0.06);
        expect(readNumber(column, "y") + readNumber(column, "height")).toBeCloseTo(34);
      }
      const toned = columns.map((column) => column.getAttribute("class"));
      const before = [7, 14, 21, 28].map((back) => day - back);
      for (const [i, tone] of toned.entries()) {
        if (marked.includes(i)) expect(tone).toBe("s-hot");
        else if (i <= day && i > day - length) expect(tone).toBe("s-on");
        else expect(tone).toBe(length === 1 && before.includes(i) ? "s-mid" : "s-dim");
      }
    }),
  );
});

it("ranks names by bars whose parts add up", () => {
  const row = fc.record({ name: hostileName, values: fc.tuple(amount, amount) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 15 }), (rows) => {
      const series = ["a", "b"].map((name, i) => ({
        name,
        paint: (["c1", "c2"] as const)[i]!,
        values: rows.map(({ values }) => values[i]!),
      }));
      const names = rows.map(({ name }, i) => ({ name, href: `/${i}` }));
      const root = parseDrawing(drawRanking({ label: "r", names, series }));
      expect(findAll(root, "a").map((link) => link.getAttribute("href"))).toEqual(
        names.map(({ href }) => href),
      );
      const most = Math.max(...rows.map(({ values: [a, b] }) => a + b));
      const parts = findAll(root, "g").filter((each) => each.hasAttribute("data-s"));
      const drawn = rows.flatMap(({ values }) => values.filter((value) => value > 0));
      expect(parts).toHaveLength(drawn.length);
      for (const [i, part] of parts.entries()) {
        const width = readNumber(findAll(part, "rect")[0]!, "width");
        expect(Math.abs(width - Math.max(0.2, (drawn[i]! / most) * 100))).toBeLessThan(0.001);
      }
    }),
  );
});

it("fills a share of the width, and shows the smallest amount", () => {
  const widthOf = (value: number, most: number): string =>
    findAll(parseDrawing(drawShare({ value, most })), "rect", "c1")[0]!.getAttribute("width")!;
  expect([widthOf(30, 120), widthOf(1, 1e9), widthOf(0, 5), widthOf(0, 0), widthOf(9, 3)]).toEqual([
    "25%",
    "0.8%",
    "0%",
    "0%",
    "100%",
  ]);
});

it("lists series with their totals", () => {
  const series = [{ name: "<i>Hidden", paint: "c1" as const, values: [600, null, 664] }];
  const root = parseDrawing(drawLegend(series));
  expect(root.textContent!.replaceAll(/\s+/g, " ").trim()).toBe("<i>Hidden 1,264");
  expect(findAll(root, "i")).toEqual([]);
});
